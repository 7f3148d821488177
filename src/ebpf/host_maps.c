/* SPDX-License-Identifier: Apache-2.0 */
/* host_maps.c - what the kernel side is given while it records, and what it is asked */
#include "ebpf/host_kernel_int.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

void wick_host_kernel_know(struct wick_host_kernel *k, const struct wick_host_birth *birth)
{
    uint32_t yes = 1;
    wick_host_libbpf.bpf_map_update_elem(k->known, birth, &yes, BPF_ANY);
}

void wick_host_kernel_forget(struct wick_host_kernel *k, const struct wick_host_birth *birth)
{
    wick_host_libbpf.bpf_map_delete_elem(k->known, birth);
    wick_host_libbpf.bpf_map_delete_elem(k->jvms, birth);
    wick_host_libbpf.bpf_map_delete_elem(k->publishers, birth);
}

int wick_host_kernel_put_jvm(struct wick_host_kernel *k, const struct wick_host_birth *birth,
                             const struct wick_step_jvm *jvm)
{
    return wick_host_libbpf.bpf_map_update_elem(k->jvms, birth, jvm, BPF_ANY) ? -WICK_E_LIMIT : 0;
}

void wick_host_kernel_put_thread(struct wick_host_kernel *k, const struct wick_host_thread *thread,
                                 const struct wick_host_java_thread *java)
{
    wick_host_libbpf.bpf_map_update_elem(k->threads, thread, java, BPF_ANY);
}

int wick_host_kernel_put_publisher(struct wick_host_kernel *k, const struct wick_host_birth *birth,
                                   const struct wick_host_publisher *threads)
{
    if (!threads) {
        wick_host_libbpf.bpf_map_delete_elem(k->publishers, birth);
        return 0;
    }
    return wick_host_libbpf.bpf_map_update_elem(k->publishers, birth, threads, BPF_ANY) ? -WICK_E_LIMIT : 0;
}

int wick_host_kernel_put_allocs(struct wick_host_kernel *k, const struct wick_host_birth *birth,
                                const struct wick_host_allocs *allocs)
{
    if (!allocs)
        return wick_host_libbpf.bpf_map_delete_elem(k->allocs, birth) ? -WICK_E_NOTFOUND : 0;
    return wick_host_libbpf.bpf_map_update_elem(k->allocs, birth, allocs, BPF_ANY) ? -WICK_E_LIMIT : 0;
}

uint64_t wick_host_kernel_alloc_calls(struct wick_host_kernel *k, const struct wick_host_birth *birth)
{
    struct wick_host_allocs now;
    return wick_host_libbpf.bpf_map_lookup_elem(k->allocs, birth, &now) ? 0 : now.calls;
}

static void put_rule(void *arg, uint32_t number, const struct wick_unwind_rule *rule)
{
    const struct wick_host_kernel *k = arg;
    wick_host_libbpf.bpf_map_update_elem(k->rules, &number, rule, BPF_ANY);
}

static void put_page(void *arg, const struct wick_host_page *page, const struct wick_host_rows *rows)
{
    const struct wick_host_kernel *k = arg;
    wick_host_libbpf.bpf_map_update_elem(k->pages, page, rows, BPF_ANY);
}

static void forget_pages(void *arg)
{
    const struct wick_host_kernel *k = arg;
    struct wick_host_page page, next;
    /* none are added during this: it is this thread that adds them. From a page that is present the next is found at
     * once. */
    bool more = !wick_host_libbpf.bpf_map_get_next_key(k->pages, NULL, &page);
    for (int i = 0; more && i < 2 * WICK_HOST_PAGES; i++) {
        more = !wick_host_libbpf.bpf_map_get_next_key(k->pages, &page, &next);
        wick_host_libbpf.bpf_map_delete_elem(k->pages, &page);
        page = next;
    }
}

/* Whether the kernel side cannot distinguish its files: subvolumes of Btrfs have the same device and numbers of inodes.
 * Huge pages are mapped as a whole only. */
static bool is_ambiguous(const struct statfs *fs)
{
    return fs->f_type == BTRFS_SUPER_MAGIC || fs->f_type == HUGETLBFS_MAGIC;
}

/* It is mapped to ask, as it is elsewhere: in a file system of layers another file is mapped than the one that is open.
 */
static bool identify(void *arg, int fd, struct wick_host_inode *out)
{
    const struct wick_host_kernel *k = arg;
    struct statfs fs;
    if (fstatfs(fd, &fs) || is_ambiguous(&fs))
        return false;
    void *at = mmap(NULL, WICK_MEM_PAGE, PROT_READ, MAP_PRIVATE, fd, 0);
    if (at == MAP_FAILED)
        return false;
    struct wick_host_question q = {.addr = (uintptr_t)at};
    LIBBPF_OPTS(bpf_test_run_opts, how, .ctx_in = &q, .ctx_size_in = sizeof q);
    bool known = !wick_host_libbpf.bpf_prog_test_run_opts(k->identify, &how) && !how.retval && q.file.device;
    munmap(at, WICK_MEM_PAGE);
    *out = q.file;
    return known;
}

bool wick_host_kernel_knows_files(struct wick_host_kernel *k)
{
    struct wick_host_inode own;
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    bool known = fd >= 0 && identify(k, fd, &own);
    if (fd >= 0)
        close(fd);
    return known;
}

struct wick_host_rule_sink wick_host_kernel_sink(struct wick_host_kernel *k)
{
    return (struct wick_host_rule_sink){put_rule, put_page, forget_pages, identify, k};
}
