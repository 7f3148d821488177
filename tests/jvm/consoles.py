# SPDX-License-Identifier: Apache-2.0
"""Documents whose console blocks are run: their commands, what these print, and the documents with that written into them.

A command is a line that begins with `$ ` in a block of the language "console". Only the port is another one when it runs."""
import re
import socket
import subprocess

import jvmtest as t

PORT = "8080"  # in the documents


class Command:
    def __init__(self, text):
        self.text, self.output, self.status = text, "", None


def commands_of(text):
    return [Command(line[2:]) for block in re.findall(r"^```console\n(.*?)^```$", text, re.M | re.S)
            for line in block.splitlines() if line.startswith("$ ")]


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return str(s.getsockname()[1])


def marked(number, command, port):
    """Lines of bash: the command between two marks, the second with its status."""
    return [f"printf '\\1%d\\n' {number}", command.text.replace(PORT, port), "printf '\\2%d\\n' $?"]


def run(commands, lines_of, seconds=1000):
    """Has bash run what lines_of(port) returns, and notes output and status of each command; returns all that was printed.
    $pid and $load are ended with it."""
    port = free_port()
    env = {**t.os.environ, "PATH": f"{t.BUILD}:{t.JAVA_HOME}/bin:{t.os.environ['PATH']}",
           "DEMO": t.os.path.join(t.BUILD, "java/wick-demo.jar"), "AGENT": t.AGENT, "COLUMNS": "120"}
    script = ["trap 'kill $pid $load 2> /dev/null' EXIT; trap 'exit 1' TERM; exec 2>&1", *lines_of(port)]
    shell = subprocess.Popen(["bash", "-c", "\n".join(script) + "\n"], cwd=t.WORK, env=env, text=True, errors="replace",
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    try:
        said, _ = shell.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        shell.terminate()
        said, _ = shell.communicate()
    finally:
        shell.terminate()  # does nothing to what has ended; otherwise its trap ends the service
    for i, output, status in re.findall(r"\x01(\d+)\n(.*?)\x02(\d+)\n", said, re.S):
        commands[int(i)].output, commands[int(i)].status = output.replace(port, PORT), int(status)
    return said


def written(text, commands):
    """The document with what the commands printed below them."""
    left = iter(commands)

    def block(match):
        out = ""
        for line in match[1].splitlines():
            if line.startswith("$ "):
                out += line + "\n" + re.sub(r" +$", "", next(left).output, flags=re.M)
        return f"```console\n{out}```"
    return re.sub(r"^```console\n(.*?)^```$", block, text, flags=re.M | re.S)
