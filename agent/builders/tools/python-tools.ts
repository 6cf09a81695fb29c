import { realpathSync } from 'node:fs';
import { basename, join } from 'node:path';

/** A package manager of Python, which comes from the registry of packages in this version. */
interface PythonTool {
  version: string;
  /** A program that runs by itself, beneath the folder of packages; without it, Python runs the module of its name. */
  program?: string;
}

export const pythonTools: Readonly<Record<string, PythonTool>> = {
  uv: { version: '0.9.5', program: 'bin/uv' },
  poetry: { version: '2.2.1' },
  pipenv: { version: '2025.0.4' },
};

/** The machine's Python by its own name, such as `python3.11`: compiled packages fit one of them alone. */
export function pythonOf(directories: readonly string[]): string {
  for (const directory of directories) {
    try {
      return basename(realpathSync(join(directory, 'python3')));
    } catch {
      // Not in this one.
    }
  }
  return 'python3';
}

/** Fills the folder with the tool and its packages. Only finished packages are taken: nothing of them runs here. */
export function fetchingCommand(name: string): string {
  const own = '.fetching/bin/python -m pip install --disable-pip-version-check --no-cache-dir --no-compile --quiet';
  const tool = `${name}==${pythonTools[name]?.version}`;
  return `python3 -m venv .fetching && ${own} --only-binary=:all: --target packages '${tool}' && rm -rf .fetching`;
}

/** The lines of a shell by which a program of this tool runs that lies at a place of the sandbox. */
export function pythonProgram(name: string, at: string): string {
  const { program } = pythonTools[name] ?? {};
  if (program !== undefined) return `exec ${at}/${program} "$@"`;
  // By its path alone: a variable would lead the environments that it makes to its own packages.
  const code = `import runpy, sys; sys.path.insert(0, "${at}"); runpy.run_module("${name}", run_name="__main__", alter_sys=True)`;
  return `exec python3 -I -c '${code}' "$@"`;
}
