import { type ChildProcess, type StdioOptions, spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { agent, placesIn, program } from '../../../test/builders/agent-process.ts';
import { buildGround } from '../../../test/builders/build-ground.ts';
import { withWords } from '../../../test/builders/with-words.ts';
import { until } from '../../../test/ground/until.ts';
import { notRun } from '../../../test/run/not-run.ts';
import { enter, findPrograms, type Programs } from './inside.ts';
import { foldersIn } from './mounts.ts';
import { endSandboxLeftovers } from './sandbox.ts';

const ground = await buildGround();
afterAll(() => ground?.close());
const isRoot = process.getuid?.() === 0;
const sandboxed = test.skipIf(ground === undefined);
const { directory } = ground ?? ({} as NonNullable<typeof ground>);

const said = async (child: ChildProcess) => (child.stdout === null ? '' : await text(child.stdout));

/** Users that no package has, and that may read the checkout. */
const somebody = 61_182;
const readable = () => spawnSync(process.execPath, ['-p', `fs.readFileSync('${program}').length`], { uid: somebody });

sandboxed('an agent without root has sandboxes, too: without rights, and nothing else is written or seen', async () => {
  if (isRoot && readable().status !== 0) {
    notRun('sandbox without root', 'let other users read the checkout and its Node');
    return;
  }
  const user = isRoot ? somebody : undefined;
  const [home, source, cache] = placesIn(directory, 'somebody', user);
  if (isRoot) for (const path of [directory]) spawnSync('chmod', ['711', path]);
  const command = `
    id -un; ls -l /proc/$$/fd | sed -n 's/.* -> .*build.*[/]//p'; touch /build/a /cache/npm/b /tmp/c ~/d; grep -E '^(Cap(Prm|Eff)|NoNewPrivs)' /proc/self/status
    for at in / /usr /etc /dev /usr/bin /etc/ssl; do touch $at/written 2>/dev/null && echo wrote $at; done
    for at in ${home} ${directory} /root /run/docker.sock; do stat $at 2>/dev/null || true; done
    umount /usr 2>/dev/null && echo umounted; unshare --user true 2>/dev/null && echo nested
    mkdir -p /tmp/closed/within; chmod 0 /tmp/closed; kill -KILL 1 || true; echo again >/dev/stdout; ls /proc | grep -c "^1$" || true`;
  const rights = 'CapPrm:\t0000000000000000\nCapEff:\t0000000000000000\nNoNewPrivs:\t1\n';
  // As a supervisor may leave descriptors open to the agent that it starts.
  const left = openSync(join(directory, 'left-open'), 'w');
  const stdio: StdioOptions = ['ignore', 'pipe', 'inherit', ...new Array<'ignore'>(60).fill('ignore'), left];
  const as = isRoot ? { uid: somebody, gid: somebody } : {};
  const words = await said(agent([home, source, cache, command], { stdio, ...as }));
  closeSync(left);
  expect(words.replace(/^held by (watcher|control groups)/, 'held')).toBe(
    `held, user its own\nbuild\nstdout\nstderr\n${rights}again\n0\n{"ended":"exited","code":0}\n`,
  );
  expect([readdirSync(source), readdirSync(cache), readdirSync(foldersIn(home))]).toEqual([['a'], ['b'], []]);
});

sandboxed('a sandbox whose agent has ended before it could be told of that begins nothing', () => {
  const folder = mkdtempSync(join(directory, 'orphan-'));
  const [name = '', ...entering] = enter(findPrograms() as Programs, isRoot ? somebody : undefined);
  const script = fileURLToPath(new URL('./enter-sandbox.sh', import.meta.url));
  const begun = (pid: number) => {
    const args = [...entering, '/bin/sh', script, folder, '/bin/false', '', String(pid), '--', 'true'];
    return { status: spawnSync(name, args).status, there: readdirSync(folder) };
  };
  expect(begun(spawnSync('true').pid)).toEqual({ status: 1, there: [] });
  expect(begun(process.pid).there).toEqual(['init']);
});

sandboxed('where no user namespace may be made, it is said what to change', async () => {
  const forbid = 'echo 1 >/proc/sys/user/max_user_namespaces; exec unshare -U --map-user=1000 --map-group=1000 -- "$@"';
  const before = ['unshare', '-Ur', 'sh', '-c', forbid, 'sh'];
  expect(await said(agent([...placesIn(directory, 'forbidden'), 'true'], {}, before))).toMatch(
    /^Builds cannot be separated, since this machine does not allow .* the namespaces .*: allow user namespaces \(sysctl user\.max_user_namespaces, .*\) or run the agent as root\. It said: .*unshare failed/,
  );
});

test.skipIf(ground === undefined || !isRoot)('a program that is missing is named with its package', async () => {
  const without = ['unshare', '-m', 'sh', '-c', 'mount --bind /dev/null "$(command -v prlimit)"; exec "$@"', 'sh'];
  expect(await said(agent([...placesIn(directory, 'without'), 'true'], {}, without))).toBe(
    'Builds need the program prlimit, which this machine lacks: install util-linux.\n',
  );
});

test.skipIf(ground === undefined || !isRoot || readable().status !== 0).each([
  ['ip', 'held'],
  ['ip perl', 'the network of a build has no loopback without iproute2: install iproute2.'],
])('without root and without %s it says: %s', async (missing, told) => {
  const home = `without-${missing.replace(' ', '-')}`;
  const hide = `for one in ${missing}; do mount --bind /dev/null "$(readlink -f "$(command -v $one)")"; done`;
  const as = `exec setpriv --reuid ${somebody} --regid ${somebody} --clear-groups -- "$@"`;
  const places = placesIn(directory, home, somebody);
  const words = await said(agent([...places, 'true'], {}, ['unshare', '-m', 'sh', '-c', `${hide}; ${as}`, 'sh']));
  expect(words).toContain(told);
});

test.skipIf(ground === undefined || !isRoot)(
  'what is mounted in a folder of the system is read-only, too, and a home there is hidden',
  async () => {
    const inside = '/usr/src/ballast-home';
    const [, source, cache] = placesIn(directory, 'inside');
    const mounted =
      'mount -t tmpfs -o mode=777 tmpfs /usr/src && mkdir -m 711 "$0" && touch "$0/agent.json" && exec "$@"';
    const command = `touch /usr/src/written 2>/dev/null && echo wrote; ls -A ${inside}; stat ${inside}/agent.json`;
    const words = await said(
      agent([inside, source, cache, `${command} 2>/dev/null || echo hidden`], {}, [
        'unshare',
        '-m',
        'sh',
        '-c',
        mounted,
        inside,
      ]),
    );
    expect(words).toMatch(/^held by .*\nhidden\n\{"ended":"exited","code":0\}\n$/);
  },
);

// The moments before are in agents.all.test.ts.
sandboxed('an agent killed while a build runs takes it along, and the next one clears up', async () => {
  const mark = `${100_000 + Math.floor(Math.random() * 1e9)}`;
  const [home, source, cache] = placesIn(directory, 'killed');
  const command = `trap '' TERM HUP; (setsid sleep ${mark} &); sleep ${mark}`;
  const child = agent([home, source, cache, command]);
  await until('the trial is over', async () => {
    const folders = existsSync(foldersIn(home)) ? readdirSync(foldersIn(home)) : [];
    const isTrial = folders.some((name) => name.startsWith('probe-'));
    return !isTrial && folders.some((name) => existsSync(join(foldersIn(home), name, 'ended')));
  });
  await until('it runs', async () => withWords(`sleep ${mark}`).length > 1);
  child.kill('SIGKILL');
  await until('nothing runs', async () => withWords(home).length === 0 && withWords(mark).length === 0);
  await endSandboxLeftovers(home);
  expect(readdirSync(foldersIn(home))).toEqual([]);
  expect(readFileSync('/proc/mounts', 'utf8')).not.toContain(home);
});

sandboxed('what an agent has left that still runs is ended', async () => {
  const { run, home } = ground ?? ({} as NonNullable<typeof ground>);
  const mark = `${100_000 + Math.floor(Math.random() * 1e9)}`;
  const running = run(`sleep ${mark}`);
  await until('it runs', async () => withWords(mark).length > 0);
  await endSandboxLeftovers(home);
  expect([withWords(mark), readdirSync(foldersIn(home))]).toEqual([[], []]);
  expect((await running).end).toEqual({ ended: 'killed', by: 'SIGKILL' });
});
