; SPDX-License-Identifier: Apache-2.0
; What a user types at a Clojure REPL: no type hints, so that each call of a Java method is reflective.
(ns geometry)
(defn distance [a b]
  (let [dx (- (.getX a) (.getX b))
        dy (- (.getY a) (.getY b))]
    (Math/sqrt (+ (* dx dx) (* dy dy)))))
(defn tour [points]
  (reduce + (map distance points (rest points))))
(def cities (vec (for [i (range 400)] (java.awt.geom.Point2D$Double. (mod (* i 37) 101) (mod (* i 53) 97)))))
(future (while true (tour cities)))
