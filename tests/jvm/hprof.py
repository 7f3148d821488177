# SPDX-License-Identifier: Apache-2.0
"""A reader of heap dumps of its own, as plain as it can be: what `wick heap` computes is held against what follows from this.

Dump(path) has `names` (class id -> name), `nodes` (id -> Node) and `roots` (ids). References are those that keep objects
alive, by the rules of docs/heap.md."""
import re
import struct

SIZES = {4: 1, 5: 2, 6: 4, 7: 8, 8: 1, 9: 2, 10: 4, 11: 8}
PRIMITIVES = {4: "boolean", 5: "char", 6: "float", 7: "double", 8: "byte", 9: "short", 10: "int", 11: "long"}
ROOT_WORDS = {0xFF: 0, 0x01: None, 0x02: 2, 0x03: 2, 0x04: 1, 0x05: 0, 0x06: 1, 0x07: 0, 0x08: 2}
HIDDEN = re.compile(r"[/+.]0x[0-9a-f]+(?=\[|$)")


class Node:
    __slots__ = ("kind", "cls", "count", "refs", "data")

    def __init__(self, kind, cls, count, refs=(), data=b""):
        self.kind, self.cls, self.count, self.refs, self.data = kind, cls, count, refs, data


class Class:
    def __init__(self, supers, loader, statics, static_bytes, fields):
        self.super, self.loader, self.fields = supers, loader, fields
        self.statics, self.static_bytes = statics, static_bytes  # references; bytes of the others


class Dump:
    def __init__(self, path):
        with open(path, "rb") as f:
            self.b = f.read()
        end = self.b.index(b"\0")
        self.id = struct.unpack_from(">I", self.b, end + 1)[0]
        self.strings, self.class_name, self.classes, self.nodes = {}, {}, {}, {}
        self.roots, self.held, self.threads, self.sticky = [], [], {}, set()
        self.at = end + 13
        while self.at < len(self.b):
            tag, _, length = struct.unpack_from(">BII", self.b, self.at)
            self.at += 9
            stop = self.at + length
            if tag == 1:
                key = self.ref()
                self.strings[key] = self.b[self.at:stop].decode("utf-8", "replace")
            elif tag == 2:
                self.at += 4
                cls = self.ref()
                self.at += 4
                self.class_name[cls] = self.ref()
            elif tag in (0x0C, 0x1C):
                while self.at < stop:
                    self.sub()
            self.at = stop
        self.link()

    def u(self, n):
        v = int.from_bytes(self.b[self.at:self.at + n], "big")
        self.at += n
        return v

    def ref(self):
        return self.u(self.id)

    def size(self, kind):
        return self.id if kind == 2 else SIZES[kind]

    def sub(self):
        tag = self.u(1)
        if tag in ROOT_WORDS:
            obj = self.ref()
            if tag == 1:
                self.ref()
            words = [self.u(4) for _ in range(ROOT_WORDS[tag] or 0)]
            if tag == 8:
                self.threads[words[0]] = obj
            if tag == 5:
                self.sticky.add(obj)
            (self.held if tag in (2, 3, 4, 6) else self.roots).append((obj, words[0] if words else 0))
        elif tag == 0x20:
            self.class_dump()
        elif tag == 0x21:
            obj, _, cls, n = self.ref(), self.u(4), self.ref(), self.u(4)
            self.nodes[obj] = Node("instance", cls, n, data=self.b[self.at:self.at + n])
            self.at += n
        elif tag == 0x22:
            obj, _, n, cls = self.ref(), self.u(4), self.u(4), self.ref()
            refs = struct.unpack_from(f">{n}{'Q' if self.id == 8 else 'I'}", self.b, self.at)
            self.nodes[obj] = Node("objects", cls, n, refs)
            self.at += n * self.id
        else:
            assert tag == 0x23, hex(tag)
            obj, _, n, kind = self.ref(), self.u(4), self.u(4), self.u(1)
            size = n * SIZES[kind]
            self.nodes[obj] = Node("primitives", kind, n, data=self.b[self.at:self.at + size])
            self.at += size

    def class_dump(self):
        obj, _ = self.ref(), self.u(4)
        supers, loader, signers, domain, _, _ = [self.ref() for _ in range(6)]
        self.u(4)
        for _ in range(self.u(2)):
            self.u(2)
            self.u(self.size(self.u(1)))
        statics, static_bytes = [], 0
        for _ in range(self.u(2)):
            self.ref()
            kind = self.u(1)
            value = self.u(self.size(kind))
            if kind == 2:
                statics.append(value)
            else:
                static_bytes += SIZES[kind]
        fields = [(self.ref(), self.u(1)) for _ in range(self.u(2))]
        self.classes[obj] = Class(supers, loader, statics, static_bytes, fields)
        self.nodes[obj] = Node("class", 0, 0, [supers, loader, signers, domain, *statics])

    def name(self, cls):
        return self.strings.get(self.class_name.get(cls), "?")

    def is_below(self, cls, name):
        while cls:
            if self.name(cls) == name:
                return True
            cls = self.classes[cls].super if cls in self.classes else 0
        return False

    def fields_of(self, node):
        """(class that declares it, field's name, type, value's bytes) of an instance."""
        at, cls = 0, node.cls
        while cls:
            for name, kind in self.classes[cls].fields:
                yield cls, self.strings.get(name), kind, node.data[at:at + self.size(kind)]
                at += self.size(kind)
            cls = self.classes[cls].super

    def link(self):
        holders = {}
        for obj, thread in self.held:
            holder = self.threads.get(thread)
            if holder and holder != obj:
                holders.setdefault(holder, []).append(obj)
            else:
                self.roots.append((obj, 0))
        for obj, node in self.nodes.items():
            refs = list(node.refs)
            if node.kind == "instance":
                refs = [int.from_bytes(v, "big") for cls, name, kind, v in self.fields_of(node)
                        if kind == 2 and not (name == "referent" and self.name(cls) == "java/lang/ref/Reference")]
            cls = self.classes.get(node.cls) if node.kind in ("instance", "objects") else None
            if cls and cls.loader and node.cls not in self.sticky:
                refs.append(node.cls)
            refs += holders.get(obj, ())
            node.refs = [r for r in refs if r in self.nodes]

    def reachable(self, without=None):
        seen = {obj for obj, _ in self.roots if obj in self.nodes and obj != without}
        todo = list(seen)
        while todo:
            for r in self.nodes[todo.pop()].refs:
                if r != without and r not in seen:
                    seen.add(r)
                    todo.append(r)
        return seen

    def searched(self):
        """A depth-first search from the roots: the objects by number, None first, the number of each one's parent, and the
        numbers of those that refer to each."""
        order, number, parent, holders = [None], {None: 0}, [0], [[]]
        todo = [(0, iter([obj for obj, _ in self.roots if obj in self.nodes]))]
        while todo:
            at, refs = todo[-1]
            for r in refs:
                n = number.get(r)
                if n is None:
                    number[r] = n = len(order)
                    order.append(r)
                    parent.append(at)
                    holders.append([at])
                    todo.append((n, iter(self.nodes[r].refs)))
                    break
                holders[n].append(at)
            else:
                todo.pop()
        return order, parent, holders

    def dominators(self):
        """{object: its immediate dominator, None = no object} of all that can be reached, dominators first: the algorithm of
        Lengauer and Tarjan (1979) with simple path compression, names as there."""
        order, parent, holders = self.searched()
        n = len(order)
        semi, label, ancestor, dom = list(range(n)), list(range(n)), [-1] * n, [0] * n
        bucket = [[] for _ in range(n)]

        def evaluate(v):
            if ancestor[v] < 0:
                return v
            path = []
            while ancestor[ancestor[v]] >= 0:
                path.append(v)
                v = ancestor[v]
            for v in reversed(path):
                a = ancestor[v]
                if semi[label[a]] < semi[label[v]]:
                    label[v] = label[a]
                ancestor[v] = ancestor[a]
            return label[path[0] if path else v]

        for w in range(n - 1, 0, -1):
            for v in holders[w]:
                semi[w] = min(semi[w], semi[evaluate(v)])
            bucket[semi[w]].append(w)
            p = ancestor[w] = parent[w]
            for v in bucket[p]:
                u = evaluate(v)
                dom[v] = u if semi[u] < semi[v] else p
            bucket[p].clear()
        for w in range(1, n):
            if dom[w] != semi[w]:
                dom[w] = dom[dom[w]]
        return {order[w]: order[dom[w]] for w in range(1, n)}

    @staticmethod
    def retained(above, bytes_of):
        """{object: what it keeps alive} by these dominators, with None for all of it."""
        sums = {obj: bytes_of(obj) for obj in above}
        sums[None] = 0
        for obj, holder in reversed(above.items()):  # what an object dominates comes after it
            sums[holder] += sums[obj]
        return sums

    def retained_by_class(self, above, retained):
        """{class: what its objects retain, one within another's counted once}."""
        below, sums = {}, {}
        for obj, holder in above.items():
            below.setdefault(holder, []).append(obj)
        inside = {}  # by class: how many of its objects are above
        todo = [(obj, True) for obj in below[None]]
        while todo:
            obj, enters = todo.pop()
            node = self.nodes[obj]
            if not enters:
                inside[node.kind, node.cls] -= 1
                continue
            if not inside.get((node.kind, node.cls)):
                name = self.class_of(node)
                sums[name] = sums.get(name, 0) + retained[obj]
            inside[node.kind, node.cls] = inside.get((node.kind, node.cls), 0) + 1
            todo.append((obj, False))
            todo += [(o, True) for o in below.get(obj, ())]
        return sums

    def class_of(self, node):
        """Its class as a reader knows it, a hidden class without its number."""
        if node.kind == "class":
            return "java.lang.Class"
        return PRIMITIVES[node.cls] + "[]" if node.kind == "primitives" else HIDDEN.sub("", readable(self.name(node.cls)))

    def histogram(self):
        counts = {}
        for node in self.nodes.values():
            name = self.class_of(node)
            counts[name] = counts.get(name, 0) + 1
        return counts


LETTERS = {"Z": "boolean", "C": "char", "F": "float", "D": "double", "B": "byte", "S": "short", "I": "int", "J": "long"}


def readable(name):
    """java/lang/Foo as java.lang.Foo, [[I as int[][]; a hidden class without its number."""
    depth = len(name) - len(name.lstrip("["))
    name = name[depth:]
    if depth:
        name = name[1:-1] if name.endswith(";") else LETTERS[name]
    return name.replace("/", ".") + "[]" * depth


def numbered(name):
    """A hidden class with its number, in one way of writing it."""
    return re.sub(r"[/+.](?=0x)", "/", name)


def shallow_of(dump, plain):
    """An instance's size from the table of classes, others' from the layout that wick has found: heap.py checks sizes."""
    rows = {}
    for c in dump["classes"]:
        rows.setdefault(numbered(c["class"]), c["bytes"] // c["objects"])
    layout = dump["layout"]
    header, ref, align = layout["array_header"], layout["reference"], layout["alignment"]
    up = lambda n: (n + align - 1) // align * align

    def of(obj):
        node = plain.nodes[obj]
        if node.kind == "instance":
            name = numbered(readable(plain.name(node.cls)))
            return up(layout["class_object"]) if name == "java.lang.Class" else rows[name]
        if node.kind == "class":
            statics = plain.classes[obj].static_bytes + ref * len(plain.classes[obj].statics)
            return up(layout["class_object"] + statics)
        size = ref if node.kind == "objects" else SIZES[node.cls]
        return up(header + node.count * size)
    return of
