/* SPDX-License-Identifier: Apache-2.0 */
#include "ebpf/host_place.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int wick_host_places_add(struct wick_host_places *p, const struct wick_host_place *place)
{
    if (p->n == WICK_HOST_PLACES)
        return -WICK_E_LIMIT;
    struct wick_host_place *more = realloc(p->of, (p->n + 1) * sizeof *more);
    if (!more)
        return -WICK_E_NOMEM;
    more[p->n++] = *place;
    p->of = more;
    return 0;
}

void wick_host_places_release(struct wick_host_places *p)
{
    for (uint32_t i = 0; i < p->n; i++)
        if (p->of[i].fd >= 0)
            close(p->of[i].fd);
    free(p->of);
    *p = (struct wick_host_places){0};
}

void wick_host_place_name(const struct wick_host_place *place, char name[WICK_HOST_PLACE_PATH])
{
    ssize_t n = place->fd >= 0 ? readlink(place->path, name, WICK_HOST_PLACE_PATH - 1) : -1;
    if (n < 0)
        memcpy(name, place->path, WICK_HOST_PLACE_PATH);
    else
        name[n] = 0;
}

int wick_host_place_open(const char *path, struct wick_elf_file *file, struct wick_err *err)
{
    int fd = wick_elf_open_path(-1, path);
    if (fd < 0)
        return wick_err_set(err, (enum wick_code) - fd, "the library %.400s cannot be opened: %s", path,
                            fd == -WICK_E_NOTFOUND ? "there is no such file" : wick_err_text(fd));
    int rc = wick_elf_file_take_fd(file, fd);
    if (rc)
        return wick_err_set(err, (enum wick_code) - rc, "%.400s is no library or program: %s", path, wick_err_text(rc));
    return 0;
}
