import { word } from '../build-plan.ts';
import { type Source, within } from '../source.ts';

/** The object that answers requests, as servers of Python name it: `module:name`. */
interface Application {
  path: string;
  module: string;
  name: string;
}

const usual = ['main', 'app', 'server', 'api', 'application', 'wsgi', 'asgi', 'webapp', 'run', '__init__'];

/** The first file, the usual names first, in which a variable becomes an application of this class. */
function applicationOf(source: Source, folder: string, classes: string): Application | undefined {
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

interface PythonProject {
  source: Source;
  folder: string;
  demanded: ReadonlySet<string>;
}

interface PythonFramework {
  name: string;
  /** One of them is demanded. */
  packages: readonly string[];
  port: number;
  /** The start, the packages that this takes, and the file that shows it; undefined if nothing to start was found. */
  start?(project: PythonProject): { line: string; needs: readonly string[]; path: string } | undefined;
  /** Of documents: a build that leaves files. */
  site?(project: PythonProject): { build: string; files: string; path: string } | undefined;
  build?(project: PythonProject): string | undefined;
}

const gunicorn = (app: string, more = ''): string => `gunicorn ${more}${app} --bind 0.0.0.0:$PORT`;
const uvicorn = (app: string): string => `uvicorn ${app} --host 0.0.0.0 --port $PORT`;
const withUvicorn = ['uvicorn', 'fastapi[standard]', 'fastapi[all]'];

/** A framework is one entry; the first that fits is taken. */
export const pythonFrameworks: readonly PythonFramework[] = [
  {
    name: 'django',
    packages: ['django', 'wagtail'],
    port: 8000,
    start: (project) => {
      const made = djangoOf(project);
      if (made === undefined) return undefined;
      const { settings, below, path } = made;
      if (project.source.has(within(project.folder, `${below}${settings}/wsgi.py`))) {
        const chdir = below === '' ? '' : `--chdir ${word(below.slice(0, -1))} `;
        return { line: gunicorn(`${settings}.wsgi`, chdir), needs: ['gunicorn'], path };
      }
      const directory = below === '' ? '' : ` --app-dir ${word(below.slice(0, -1))}`;
      return { line: `${uvicorn(`${settings}.asgi:application`)}${directory}`, needs: ['uvicorn'], path };
    },
    build: (project) => {
      const below = djangoOf(project)?.below;
      // Where WhiteNoise serves them, files have to be collected before.
      if (below === undefined || !project.demanded.has('whitenoise')) return undefined;
      return `python ${word(`${below}manage.py`)} collectstatic --noinput`;
    },
  },
  {
    name: 'fastapi',
    packages: ['fastapi'],
    port: 8000,
    start: ({ source, folder, demanded }) => {
      const app = applicationOf(source, folder, 'FastAPI|get_application|create_app');
      if (app === undefined) return undefined;
      const needs = withUvicorn.some((one) => demanded.has(one)) ? [] : ['uvicorn'];
      return { line: uvicorn(`${app.module}:${app.name}`), needs, path: within(folder, app.path) };
    },
  },
  {
    name: 'starlette',
    packages: ['starlette'],
    port: 8000,
    start: ({ source, folder }) => {
      const app = applicationOf(source, folder, 'Starlette');
      if (app === undefined) return undefined;
      return { line: uvicorn(`${app.module}:${app.name}`), needs: ['uvicorn'], path: within(folder, app.path) };
    },
  },
  {
    name: 'flask',
    packages: ['flask', 'quart'],
    port: 8000,
    start: ({ source, folder }) => {
      const app = applicationOf(source, folder, 'Flask|create_app|make_app');
      if (app === undefined) return undefined;
      return { line: gunicorn(word(`${app.module}:${app.name}`)), needs: ['gunicorn'], path: within(folder, app.path) };
    },
  },
  {
    name: 'streamlit',
    packages: ['streamlit'],
    port: 8501,
    start: ({ source, folder }) => {
      const files = source.files(folder);
      const file = ['streamlit_app.py', 'app.py', 'main.py', 'Home.py'].find((name) => files.includes(name));
      if (file === undefined) return undefined;
      const line = `streamlit run ${file} --server.address 0.0.0.0 --server.port $PORT`;
      return { line, needs: [], path: within(folder, file) };
    },
  },
  {
    name: 'sphinx',
    packages: ['sphinx'],
    port: 0,
    site: ({ source, folder }) => {
      const below = ['', 'docs', 'doc', 'docs/source', 'source'].find((one) =>
        source.has(within(folder, within(one, 'conf.py'))),
      );
      if (below === undefined) return undefined;
      const [from, files] = [below === '' ? '.' : below, within(below, '_build/html')];
      return { build: `sphinx-build -b html ${from} ${files}`, files, path: within(folder, within(below, 'conf.py')) };
    },
  },
  {
    name: 'mkdocs',
    packages: ['mkdocs', 'mkdocs-material'],
    port: 0,
    site: ({ source, folder }) => {
      const path = within(folder, 'mkdocs.yml');
      return source.has(path) ? { build: 'mkdocs build', files: 'site', path } : undefined;
    },
  },
];

/** The folder of the settings, beside `manage.py`, which may be one folder below. */
function djangoOf({ source, folder }: PythonProject): { settings: string; below: string; path: string } | undefined {
  for (const below of [
    '',
    ...source
      .folders(folder)
      .filter((name) => /^[\w-]{1,100}$/.test(name))
      .map((name) => `${name}/`),
  ]) {
    const path = within(folder, `${below}manage.py`);
    if (!source.has(path)) continue;
    const around = within(folder, below).replace(/\/$/, '');
    const settings = source
      .folders(around)
      .find((name) =>
        ['wsgi.py', 'asgi.py'].some((file) => /^\w+$/.test(name) && source.has(within(around, `${name}/${file}`))),
      );
    if (settings !== undefined) return { settings, below, path };
  }
  return undefined;
}
