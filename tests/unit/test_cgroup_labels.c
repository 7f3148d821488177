/* SPDX-License-Identifier: Apache-2.0 */
/* Units of systemd and pods of Kubernetes by the paths of cgroups, as systems write them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "sys/cgroup_labels.h"

#define UID "0a1b2c3d-4e5f-6789-abcd-ef0123456789"

static void expect(const char *text, const char *unit, const char *pod)
{
    char found[80] = "?";
    assert_int_equal(wick_cgroup_labels_unit(text, found, sizeof found), *unit != 0);
    assert_string_equal(found, unit);
    assert_int_equal(wick_cgroup_labels_pod(text, found, sizeof found), *pod != 0);
    assert_string_equal(found, pod);
}

static void test_units(void **state)
{
    (void)state;
    expect("0::/system.slice/nginx.service\n", "nginx.service", "");
    expect("0::/user.slice/user-1000.slice/user@1000.service/app.slice/db.service\n", "db.service", "");
    expect("12:cpu,cpuacct:/\n1:name=systemd:/system.slice/postgresql@15-main.service/x\n",
           "postgresql@15-main.service", "");
    expect("0::/system.slice/docker-1b2c.scope\n", "", "");
    /* not the outer one, which it has elsewhere */
    expect("1:name=systemd:/system.slice/outer.service/" UID UID UID ".service\n0::/outer.service\n", "", "");
    expect("0::/\n", "", "");
    expect("0::/.service\n", "", "");
    expect("", "", "");
}

static void test_pods(void **state)
{
    (void)state;
    expect(
        "0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod0a1b2c3d_4e5f_6789_abcd_ef0123456789.slice/"
        "cri-containerd-4e5f.scope\n",
        "", UID);
    expect("4:cpu:/kubepods/besteffort/pod" UID "/4e5f\n", "", UID);
    expect("0::/kubepods/pod" UID "\n", "", UID);
    expect("0::/system.slice/pod" UID "\n", "", ""); /* no pod of Kubernetes */
    expect("0::/kubepods/podium/4e5f\n", "", "");
    expect("0::/kubepods.slice/kubepods-burstable.slice\n", "", "");
    expect("0::/kubepods/pod" UID UID UID "\n", "", ""); /* longer than there is room */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_pods),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
