import { type Source, within } from '../source.ts';

/** The object that answers requests, as servers of Python name it: `module:name`. */
export interface Application {
  path: string;
  module: string;
  name: string;
}

const usual = ['main', 'app', 'server', 'api', 'application', 'wsgi', 'asgi', 'webapp', 'run', '__init__'];

/** The first file, the usual names first, in which a variable becomes an application of this class. */
export function applicationOf(source: Source, folder: string, classes: string): Application | undefined {
  const made = new RegExp(`^(\\w{1,100})[ \\t]*(?::[^=\\n]{1,100})?=[ \\t]*(?:\\w{1,100}\\.)?(?:${classes})\\(`, 'm');
  const factory = /^def (create_app|make_app)\(/m;
  const files = filesOf(source, folder);
  for (const path of files) {
    const name = made.exec(source.text(within(folder, path)))?.[1];
    if (name !== undefined) return { path, module: moduleOf(path), name };
  }
  for (const path of files) {
    const name = factory.exec(source.text(within(folder, path)))?.[1];
    if (name !== undefined) return { path, module: moduleOf(path), name: `${name}()` };
  }
  return undefined;
}

/** Python files of a folder and of those below it, the usual names first. */
function filesOf(source: Source, folder: string): string[] {
  const python = (below: string): string[] =>
    source
      .files(within(folder, below).replace(/\/$/, ''))
      .filter((name) => /^\w{1,100}\.py$/.test(name) && !/^(?:test|conftest|setup|manage)/.test(name))
      .map((name) => (below === '' ? name : `${below}/${name}`));
  const folders = source
    .folders(folder)
    .filter((name) => /^\w{1,100}$/.test(name) && !/^(?:tests?|docs|examples)$/.test(name));
  const inside = source.folders(within(folder, 'src')).filter((name) => /^\w{1,100}$/.test(name));
  const below = ['', ...folders.slice(0, 40), ...inside.slice(0, 40).map((name) => `src/${name}`)];
  const rank = (path: string): number => {
    const at = usual.indexOf(path.replace(/^.*\//, '').replace(/\.py$/, ''));
    return path.split('/').length * 100 + (at === -1 ? usual.length : at);
  };
  return below
    .flatMap(python)
    .filter((path) => !path.includes('/') || rank(path) % 100 < usual.length)
    .toSorted((one, other) => rank(one) - rank(other))
    .slice(0, 100);
}

/** A package below `src` is installed under its own name. */
function moduleOf(path: string): string {
  return path
    .replace(/^src\/(?=\w+\/)/, '')
    .replace(/\/?__init__\.py$/, '')
    .replace(/\.py$/, '')
    .replaceAll('/', '.');
}

const commands =
  'gunicorn|uvicorn|hypercorn|daphne|flask|streamlit|celery|fastapi|alembic|django-admin|rq|waitress-serve|sphinx-build|mkdocs';
const modules: Readonly<Record<string, string>> = {
  'django-admin': 'django',
  'waitress-serve': 'waitress',
  'sphinx-build': 'sphinx',
};

/**
 * A line with the programs of the virtual environment: as modules, since a script of it names the folder in which it was made,
 * and images are elsewhere.
 */
export function inEnvironment(line: string): string {
  return line
    .replace(new RegExp(`(^|[;&|]\\s*|\\bexec\\s+)(${commands})(?=\\s|$)`, 'g'), (_, before: string, name: string) => {
      return `${before}.venv/bin/python -m ${modules[name] ?? name}`;
    })
    .replace(/(^|[;&|]\s*|\bexec\s+)python3?(?=\s)/g, '$1.venv/bin/python')
    .replace(/(^|[;&|]\s*|\bexec\s+)uwsgi(?=\s)/g, '$1.venv/bin/uwsgi');
}
