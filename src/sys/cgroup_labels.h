/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroup_labels.h - whose a process is, by the path of its cgroup: a unit of systemd, or a pod of Kubernetes
 *
 *      0::/system.slice/nginx.service                                            unit nginx.service
 *      0::/user.slice/user-1000.slice/user@1000.service/app.slice/db.service     unit db.service, the innermost
 *      0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1b2c_3d.slice/cri-containerd-4e5f.scope
 *      4:cpu:/kubepods/burstable/pod1b2c-3d/4e5f                                 pod 1b2c-3d, its uid
 *
 * Threads: any.
 */
#ifndef WICK_SYS_CGROUP_LABELS_H
#define WICK_SYS_CGROUP_LABELS_H

#include <stdbool.h>
#include <stddef.h>

/* By the text of /proc/PID/cgroup. False, and out is "", if there is none, or it is as long as `cap`. */
bool wick_cgroup_labels_unit(const char *text, char *out, size_t cap);
bool wick_cgroup_labels_pod(const char *text, char *out, size_t cap);

#endif
