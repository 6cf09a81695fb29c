import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { buildGround, enough, node } from '../../../test/builders/build-ground.ts';
import { withWords } from '../../../test/builders/with-words.ts';
import { foldersIn } from './mounts.ts';
import type { Sandboxed } from './run.ts';

const ground = await buildGround();
afterAll(() => ground?.close());
const sandboxed = test.skipIf(ground === undefined);
const { run, home, source, cache, directory, sandbox } = ground ?? ({} as NonNullable<typeof ground>);

const done = { ended: 'exited', code: 0 };

/** Commands of which each must fail, said with the status of each. */
const refused = (commands: readonly string[], more: Partial<Sandboxed> = {}) =>
  run(
    commands.map((one) => `(${one}) >/dev/null 2>&1 && echo ${JSON.stringify(`done: ${one}`)} || true`).join('\n'),
    more,
  );

sandboxed('a command writes its source, its caches, /tmp and its home, at the same paths in each build', async () => {
  const command = 'pwd; for at in . /cache/npm /tmp ~; do echo made >$at/made; readlink -f $at; done';
  const { end, out } = await run(command);
  expect({ end, out }).toEqual({ end: done, out: '/build\n/build\n/cache/npm\n/tmp\n/home/build\n' });
  expect([source, cache].map((at) => readFileSync(join(at, 'made'), 'utf8'))).toEqual(['made\n', 'made\n']);
  // Of those of a run before nothing is there.
  expect((await run('cat /tmp/made ~/made')).end).toEqual({ ended: 'exited', code: 1 });
  mkdirSync(join(source, 'a b', 'c'), { recursive: true });
  expect((await run('pwd', { workdir: 'a b/c' })).out).toBe('/build/a b/c\n');
});

sandboxed('nothing else can be written, whatever it is', async () => {
  const places = ['/', '/usr', '/usr/bin', '/etc', '/etc/ssl', '/dev', '/var', '/run', '/cache', '/home', '/opt/node'];
  // A folder that its owner lets everybody write to is read-only all the same.
  const open = { at: '/opt/open', directory: join(directory, 'open') };
  mkdirSync(open.directory);
  chmodSync(open.directory, 0o777);
  const commands = [
    ...[...places, open.at].map((at) => `touch ${at}/written`),
    ...['mount -o remount,rw /usr', 'umount /usr', 'mknod /tmp/disk b 1 1', 'hostname other'],
    ...['unshare -Urm mount -o remount,bind,rw /usr', 'unshare -Urm umount -l /etc/ssl', 'chown 0 /build'],
    ...['echo 1 >/proc/sys/vm/drop_caches', 'echo 1 >/proc/sysrq-trigger', 'kill -KILL 1 && ! kill -0 1'],
  ];
  expect(await refused(commands, { tools: [node, open] })).toEqual({ end: done, out: '', err: '' });
});

sandboxed('nothing of the machine is seen: homes, other builds, sockets, processes, its name', async () => {
  writeFileSync(join(home, 'agent.json'), 'secret');
  const hidden = [
    '/root',
    '/var/run/docker.sock',
    '/run/docker.sock',
    '/sys/kernel',
    '/dev/sda',
    '/dev/vda',
    '/dev/kmsg',
    '/proc/1',
  ];
  const files = ['/etc/shadow', '/etc/machine-id', '/etc/ssh', home, directory, process.cwd(), '/var/lib'];
  const { out } = await refused([...hidden, ...files].map((path) => `stat ${path}`));
  expect(out).toBe('');
  const seen = await run('ls /home /cache /.old; hostname; cat /etc/passwd | wc -l; ls /proc | grep -c "^[0-9]"');
  // Its shell, the two of the pipeline.
  expect(seen.out).toMatch(/^\/\.old:\n\n\/cache:\nnpm\n\n\/home:\nbuild\nbuild\n2\n[1-4]\n$/);
});

sandboxed('the environment is what was given, and the ways to the proxy', async () => {
  const environment = { MESSAGE: "it's\ntwo lines", LD_PRELOAD: '', PATH: '/usr/bin:/bin' };
  const { out } = await run('env -0', { environment });
  const variables = Object.fromEntries(out.split('\0').map((line) => [line.slice(0, line.indexOf('=')), line]));
  const names = ['', 'HOME', 'HTTPS_PROXY', 'HTTP_PROXY', 'LD_PRELOAD', 'MESSAGE', 'NO_PROXY', 'PATH', 'PWD'];
  const others =
    /^(npm_config_|YARN_|http|no_proxy|NODE_EXTRA_CA_CERTS$|SSL_CERT_FILE$|REQUESTS_CA_BUNDLE$|JAVA_TOOL_OPTIONS$)/;
  expect(
    Object.keys(variables)
      .filter((name) => !others.test(name))
      .sort(),
  ).toEqual(names);
  expect(variables.MESSAGE).toBe("MESSAGE=it's\ntwo lines");
  expect(variables.HOME).toBe('HOME=/home/build');
});

sandboxed('no descriptor leads to the agent, and standard input is empty', async () => {
  const { end, out, err } = await run(
    // One by one: for a pipe or a redirection the shell would have descriptors of its own meanwhile.
    'cat; for one in /proc/$$/fd/*; do readlink $one || true; done; echo again >/dev/stdout; echo wrong >/dev/stderr',
  );
  const [input, ...more] = out.trimEnd().split('\n');
  // Those that whoever started the agent has left open lead nowhere, too.
  const own = more.map((to) => to.replace(foldersIn(home), '')).filter((to) => to !== '/dev/null');
  expect({ end, input, err }).toEqual({ end: done, input: '/dev/null', err: 'wrong\n' });
  expect(own).toEqual([expect.stringMatching(/^\/\w+\/stdout$/), expect.stringMatching(/^\/\w+\/stderr$/), 'again']);
});

sandboxed('it is a user without rights, and gets none', async () => {
  const { out } = await run('id -un; grep -E "^(Cap(Inh|Prm|Eff|Amb)|NoNewPrivs)" /proc/self/status; ulimit -c');
  expect(out.replaceAll(/\t0+\n/g, ' none\n')).toBe(
    'build\nCapInh: none\nCapPrm: none\nCapEff: none\nCapAmb: none\nNoNewPrivs:\t1\n0\n',
  );
});

sandboxed('the end of a command is told: its status, or the signal that it ended by', async () => {
  expect((await run('false; echo not reached')).end).toEqual({ ended: 'exited', code: 1 });
  expect((await run('exit 77')).end).toEqual({ ended: 'exited', code: 77 });
  expect((await run('kill -SEGV $$')).end).toEqual({ ended: 'killed', by: 'SIGSEGV' });
  expect((await run('no-such-program')).end).toEqual({ ended: 'exited', code: 127 });
  const stopped = new AbortController();
  stopped.abort();
  expect((await run('true', { signal: stopped.signal })).end).toMatchObject({ ended: 'cancelled' });
});

sandboxed('cancelled, everything ends, whatever it ignores and however it hid', async () => {
  const mark = `${100_000 + Math.floor(Math.random() * 1e9)}`;
  const stopping = new AbortController();
  const running = run(
    `trap '' TERM INT HUP; (setsid sh -c "trap '' TERM; sleep ${mark} & sleep ${mark}" &) ; sleep ${mark} & echo ready; wait`,
    {
      signal: stopping.signal,
      output: () => {
        expect(withWords(mark).length).toBeGreaterThan(0);
        stopping.abort();
      },
    },
  );
  expect((await running).end).toEqual({ ended: 'cancelled', message: 'The build was cancelled.' });
  expect(withWords(mark)).toEqual([]);
});

sandboxed('what a command leaves running ends with it, and all that it said is heard', async () => {
  const mark = `${100_000 + Math.floor(Math.random() * 1e9)}`;
  const { end, out } = await run(`sleep ${mark} & (setsid sleep ${mark} &); seq 100000`);
  expect(end).toEqual(done);
  expect(out.split('\n').length).toBe(100_001);
  expect(withWords(mark)).toEqual([]);
  expect(existsSync(foldersIn(home)) && readdirSync(foldersIn(home))).toEqual([]);
});

const tooMuch = {
  seconds: { command: 'trap "" TERM; sleep 1000', limits: { seconds: 1 } },
  memory: { command: 'head -c 1000000000 /dev/zero | tail; sleep 1000', limits: { memoryBytes: 2 ** 26 } },
  disk: { command: 'head -c 40000000 /dev/zero >/tmp/large; sleep 1000', limits: { diskBytes: 2 ** 25 } },
  processes: { command: 'for i in $(seq 60); do sleep 1000 & done; wait', limits: { processes: 40 } },
};
const cells = [
  ...[['seconds', 'watcher'] as const, ['disk', 'watcher'] as const],
  ...[['memory', 'watcher'] as const, ['memory', 'control groups'] as const],
  ...[['processes', 'watcher'] as const, ['processes', 'control groups'] as const],
];

for (const [ended, heldBy] of cells)
  test.skipIf(sandbox === undefined || (heldBy === 'control groups' && sandbox.heldBy !== heldBy))(
    `too much of ${ended} ends a build, held by ${heldBy}, and it says so`,
    async () => {
      const { command, limits } = tooMuch[ended];
      const { end } = await run(command, { limits: { ...enough, ...limits } }, { ...sandbox, heldBy });
      expect(end).toMatchObject({ ended, message: expect.stringContaining(ended === 'seconds' ? '1 s' : 'its limit') });
    },
  );
