import { type Source, within } from '../source.ts';
import type { Demand } from '../versions.ts';
import { type Pinned, pinnedWithin } from '../versions.ts';

export interface PythonManager {
  name: 'uv' | 'poetry' | 'pipenv' | 'pip';
  /** The file that says what is installed. */
  path: string;
  told: string;
  /** Lines that leave a virtual environment in `.venv`. */
  install: string;
}

/** Settings of the managers: environments beside the source, made of the machine's Python and of no other that is fetched. */
export const managerEnvironment: Readonly<Record<PythonManager['name'], Record<string, string>>> = {
  pip: {},
  poetry: { POETRY_VIRTUALENVS_IN_PROJECT: 'true' },
  pipenv: { PIPENV_VENV_IN_PROJECT: '1' },
  uv: { UV_PYTHON: 'python3', UV_PYTHON_DOWNLOADS: 'never' },
};

const python = '.venv/bin/python';
/** Of copies: a link to the machine's Python would lead out of the image. */
const own = 'python3 -m venv --copies .venv';

/** How packages are installed, by the files of a folder; a lockfile goes before a list. */
export function pythonManagerOf(source: Source, folder: string): PythonManager | undefined {
  const file = (name: string): string => within(folder, name);
  const has = (name: string): boolean => source.has(file(name));
  const project = source.text(file('pyproject.toml'));
  const install = (name: PythonManager['name'], path: string, told: string, line = told): PythonManager => ({
    name,
    path: file(path),
    told,
    install: `${own} && ${line}`,
  });
  if (has('uv.lock')) return install('uv', 'uv.lock', 'uv sync --frozen --no-dev');
  if (has('poetry.lock') || /^\[tool\.poetry\]/m.test(project)) {
    const path = has('poetry.lock') ? 'poetry.lock' : 'pyproject.toml';
    return install('poetry', path, 'poetry install --only main --no-root --no-interaction');
  }
  if (has('requirements.txt')) {
    const told = 'pip install -r requirements.txt';
    return install('pip', 'requirements.txt', told, `${python} -m ${told}`);
  }
  if (has('Pipfile.lock')) return install('pipenv', 'Pipfile.lock', 'pipenv sync');
  if (has('Pipfile')) return install('pipenv', 'Pipfile', 'pipenv install --skip-lock');
  if (/^\[tool\.uv/m.test(project)) return install('uv', 'pyproject.toml', 'uv sync --no-dev');
  if (/^\[project\]/m.test(project) || has('setup.py')) {
    const path = has('setup.py') ? 'setup.py' : 'pyproject.toml';
    return install('pip', path, 'pip install .', `${python} -m pip install .`);
  }
  return undefined;
}

/** Installs what starts the application where the application does not. */
export function alsoInstall(
  packages: readonly string[],
  manager: PythonManager,
): { told: string; line: string } | undefined {
  if (packages.length === 0) return undefined;
  const told = `pip install ${packages.join(' ')}`;
  // Whether pip stays in an environment that uv has put in order is for uv to say.
  return { told, line: manager.name === 'uv' ? `uv ${told} --python ${python}` : `${python} -m ${told}` };
}

/** Names of what a folder demands, in small letters, and with its extra in brackets, too: `fastapi`, `fastapi[standard]`. */
export function demandedOf(source: Source, folder: string): Set<string> {
  const found = new Set<string>();
  const add = (name: string, extra?: string): void => {
    const plain = name.toLowerCase().replace(/[_.]/g, '-');
    found.add(plain);
    if (extra !== undefined) for (const one of extra.split(',')) found.add(`${plain}[${one.trim().toLowerCase()}]`);
  };
  for (const text of requirements(source, within(folder, 'requirements.txt'))) {
    for (const [, name, extra] of text.matchAll(/^[ \t]*([A-Za-z][\w.-]{0,100})[ \t]*(?:\[([\w, -]{1,100})\])?/gm)) {
      if (name !== undefined) add(name, extra);
    }
  }
  const listed = `${source.text(within(folder, 'pyproject.toml'))}\n${source.text(within(folder, 'Pipfile'))}`;
  for (const [, name, extra] of listed.matchAll(
    /["']([A-Za-z][\w.-]{0,100})(?:\[([\w, -]{1,100})\])?[ \t]*(?:[<>=~!@;,"' ]|$)/gm,
  )) {
    if (name !== undefined) add(name, extra);
  }
  for (const [, name] of listed.matchAll(/^["']?([A-Za-z][\w.-]{0,100})["']?[ \t]*=[ \t]*["'{]/gm)) {
    if (name !== undefined) add(name);
  }
  return found;
}

/** The texts of a list and of those that it includes. */
function requirements(source: Source, path: string, seen = new Set<string>()): string[] {
  if (seen.has(path) || seen.size > 10) return [];
  seen.add(path);
  const text = source.text(path);
  const folder = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
  const included = [...text.matchAll(/^[ \t]*(?:-r|--requirement)[ \t=]+([\w./-]{1,200})/gm)].flatMap((match) =>
    requirements(source, within(folder, (match[1] ?? '').replace(/^\.\//, '')), seen),
  );
  return [text, ...included];
}

/** The version of Python that a folder demands; '' where any will do. */
export function pythonVersionOf(source: Source, folder: string): Pinned {
  const found = (name: string, way: RegExp): Pinned => {
    const path = within(folder, name);
    return { version: way.exec(source.text(path))?.[1] ?? '', path };
  };
  const pinned = pinnedWithin(source, folder, 'python', pythonDemandOf(source, folder)?.text ?? '');
  const ways = [
    found('.python-version', /^[ \t]*(?:cpython-)?(3(?:\.\d+){1,2})[ \t]*$/m),
    found('runtime.txt', /^python-(3(?:\.\d+){1,2})/m),
    ...(/^3\.\d/.test(pinned.version) ? [pinned] : []),
    found('Pipfile', /^python_(?:full_)?version[ \t]*=[ \t]*["'](3(?:\.\d+){1,2})["']/m),
    found('pyproject.toml', /^(?:requires-python|python)[ \t]*=[ \t]*["'](?:==|~=|~)[ \t]*(3(?:\.\d+){1,2})/m),
    found(
      'pyproject.toml',
      /^(?:requires-python|python)[ \t]*=[ \t]*["']>=[ \t]*(3\.\d+)(?:\.\d+)?[ \t]*,[ \t]*<[ \t]*3\./m,
    ),
  ];
  return ways.find(({ version }) => version !== '') ?? { version: '', path: '' };
}

/** The range that uv, pip or Poetry hold the machine's Python to; undefined where there is none. */
export function pythonDemandOf(source: Source, folder: string): Demand | undefined {
  const ways: [string, RegExp][] = [
    ['pyproject.toml', /^requires-python[ \t]*=[ \t]*["']([^"'\n]{1,100})["']/m],
    ['pyproject.toml', /^python[ \t]*=[ \t]*["']([^"'\n]{1,100})["']/m],
    ['setup.py', /\bpython_requires[ \t]*=[ \t]*["']([^"'\n]{1,100})["']/],
    ['setup.cfg', /^python_requires[ \t]*=[ \t]*([^\n]{1,100})$/m],
  ];
  for (const [name, way] of ways) {
    const path = within(folder, name);
    const text = way.exec(source.text(path))?.[1]?.trim();
    if (text !== undefined) return { text, path };
  }
  return undefined;
}
