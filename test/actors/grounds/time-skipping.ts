import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, chmod, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { dataConverter, type PayloadKeys } from '../../../temporal/connection/codec.ts';
import { freePort } from '../../ground/free-port.ts';
import { until } from '../../ground/until.ts';
import { notRun } from '../../run/not-run.ts';

const run = promisify(execFile);
const version = '1.31.0';

/**
 * A Temporal whose clock runs as fast as its workflows let it: the Java test server, taken from Maven Central once and
 * kept outside the checkout. Answers nothing, and says what to install, on a machine that cannot run it.
 */
export async function timeSkipping(keys: PayloadKeys): Promise<TestWorkflowEnvironment | undefined> {
  const java = await run('java', ['-version']).catch(() => undefined);
  if (Number(/version "(\d+)/.exec(java?.stderr ?? '')?.[1] ?? 0) < 11) return cannotRun('install Java 11+ and Maven');
  const path = await testServer().catch((error: NodeJS.ErrnoException) =>
    cannotRun(error.code === 'ENOENT' ? 'install Java 11+ and Maven' : 'let Maven reach Maven Central, then try again'),
  );
  if (path === undefined) return undefined;
  const server = await startServer(path);
  const environment = await withTimeSkipping.create({
    server: { type: 'existing' },
    address: `127.0.0.1:${server.port}`,
    supportsTimeSkipping: true,
    client: { dataConverter: dataConverter(keys) },
  });
  const teardown = environment.teardown.bind(environment);
  environment.teardown = async () => {
    await teardown();
    await server.stop();
  };
  return environment;
}

/** The SDK waits 5 s for a server that it starts, however slow the machine is; this takes one that has been started. */
const withTimeSkipping = TestWorkflowEnvironment as unknown as {
  create(options: Record<string, unknown>): Promise<TestWorkflowEnvironment>;
};

async function startServer(
  executable: string,
  env: Readonly<Record<string, string>> = {},
): Promise<{ port: number; stop(): Promise<void> }> {
  const port = await freePort();
  const server = spawn(executable, [String(port)], { env: { ...process.env, ...env }, stdio: 'ignore' });
  const ended = once(server, 'exit');
  await until('the test server listens', () => listens(port), 120);
  return {
    port,
    async stop() {
      server.kill('SIGTERM');
      await ended;
    },
  };
}

async function listens(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  return await once(socket, 'connect')
    .then(
      () => true,
      () => false,
    )
    .finally(() => socket.destroy());
}

function cannotRun(what: string): undefined {
  notRun('time-skipping', what, 'default-jre-headless', 'maven');
}

/** The executable that starts the server, with all that it needs beside it. */
async function testServer(): Promise<string> {
  const caches = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'ballast');
  const kept = join(caches, `temporal-test-server-${version}-shared`);
  const executable = join(kept, 'temporal-test-server');
  if (!(await present(executable))) await obtain(caches, kept);
  const classes = join(kept, 'classes.jsa');
  if (!(await present(classes))) await dumpClasses(executable, classes);
  return executable;
}

async function obtain(caches: string, kept: string): Promise<void> {
  await mkdir(caches, { recursive: true });
  // Made aside and renamed, so that nobody meets half of it; who comes second throws its own away.
  const aside = await mkdtemp(join(caches, 'temporal-test-server-'));
  try {
    await writeFile(join(aside, 'pom.xml'), pom);
    const to = `-DoutputDirectory=${join(aside, 'lib')}`;
    const project = join(aside, 'pom.xml');
    await run('mvn', ['-q', '-B', '-f', project, 'dependency:copy-dependencies', to, '-DincludeScope=runtime']);
    await writeFile(join(aside, 'temporal-test-server'), script);
    await chmod(join(aside, 'temporal-test-server'), 0o755);
    await rename(aside, kept).catch(async (error: unknown) => {
      if (!(await present(join(kept, 'temporal-test-server')))) throw error;
    });
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
}

/** Its classes as Java has loaded them: a start takes a third of the time with them. */
async function dumpClasses(executable: string, classes: string): Promise<void> {
  const aside = `${classes}.${process.pid}`;
  const server = await startServer(executable, { JAVA_TOOL_OPTIONS: `-XX:ArchiveClassesAtExit=${aside}` });
  await server.stop();
  await rename(aside, classes);
}

async function present(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

const pom = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>ballast</groupId>
  <artifactId>time-skipping</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    <dependency>
      <groupId>io.temporal</groupId>
      <artifactId>temporal-test-server</artifactId>
      <version>${version}</version>
    </dependency>
  </dependencies>
</project>
`;

const script = `#!/bin/sh
home=$(dirname "$0")
if [ -e "$home/classes.jsa" ]; then shared=-XX:SharedArchiveFile=$home/classes.jsa; fi
exec java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC \${shared:+"$shared"} -cp "$home/lib/*" io.temporal.testserver.TestServer "$@"
`;
