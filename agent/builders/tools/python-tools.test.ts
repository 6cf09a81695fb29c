import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../machine/test-ground.ts';
import { notRun } from '../../../test/run/not-run.ts';
import { fetchingCommand, pythonOf, pythonProgram, pythonTools } from './python-tools.ts';

const isThere = existsSync('/usr/bin/python3');
if (!isThere) notRun('tools of Python', 'install python3', 'python3');

test.runIf(isThere)('a tool runs with its own packages, and the programs that it starts without them', () => {
  const at = temporaryFolder();
  mkdirSync(join(at, 'poetry'));
  const child = "subprocess.run([sys.executable, '-c', 'import poetry'], stderr=subprocess.DEVNULL).returncode";
  writeFileSync(
    join(at, 'poetry', '__main__.py'),
    `import subprocess, sys\nimport poetry\nprint(sys.argv[1:], ${child})\n`,
  );
  const program = pythonProgram('poetry', at);
  const said = execFileSync('/bin/sh', ['-c', program, 'poetry', 'install', 'two words'], {
    env: { PATH: '/usr/bin:/bin' },
  });
  expect(said.toString()).toBe("['install', 'two words'] 1\n");
});

test('a tool that is a program runs by itself', () => {
  expect(pythonProgram('uv', '/opt/tools/uv')).toBe('exec /opt/tools/uv/bin/uv "$@"');
});

test('each tool is fetched in its version, and nothing of it is run meanwhile', () => {
  for (const [name, { version }] of Object.entries(pythonTools)) {
    expect(fetchingCommand(name)).toContain(`'${name}==${version}'`);
    expect(fetchingCommand(name)).toContain('--only-binary=:all:');
  }
});

test('compiled packages are kept for the Python that they fit', () => {
  const at = temporaryFolder();
  writeFileSync(join(at, 'python3.13'), '');
  symlinkSync('python3.13', join(at, 'python3'));
  expect(pythonOf(['/none', at])).toBe('python3.13');
  expect(pythonOf(['/none'])).toBe('python3');
});
