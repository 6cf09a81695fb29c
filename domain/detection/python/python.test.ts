import { expect, test } from 'vitest';
import { treeOf } from '../../../test/kinds/tree-of.ts';
import { detect } from '../detect.ts';

test('what a program in Python is started with is in its environment, wherever that was made', () => {
  const source = treeOf({
    'requirements.txt': 'flask\n',
    'app.py': 'app = Flask(__name__)\n',
    Procfile: 'web: flask db upgrade; gunicorn app:app\n',
  });
  const { detected, plan } = detect(source);
  expect(detected.startCommand).toBe('flask db upgrade; gunicorn app:app');
  expect(plan?.start).toBe('.venv/bin/python -m flask db upgrade; .venv/bin/python -m gunicorn app:app');
});

test.each([
  ['requirements.txt', 'flask\n', '.venv/bin/python -m pip install gunicorn', {}],
  [
    'uv.lock',
    '',
    'uv pip install gunicorn --python .venv/bin/python',
    { UV_PYTHON: 'python3', UV_PYTHON_DOWNLOADS: 'never' },
  ],
  ['poetry.lock', '', '.venv/bin/python -m pip install gunicorn', { POETRY_VIRTUALENVS_IN_PROJECT: 'true' }],
])('where %s says the packages, the server comes into the same environment', (path, text, line, environment) => {
  const project = { 'pyproject.toml': '[project]\ndependencies = ["flask"]\n', 'app.py': 'app = Flask(__name__)\n' };
  const { plan } = detect(treeOf({ ...project, [path]: text }));
  expect(plan?.steps[0]?.command.endsWith(` && ${line}`)).toBe(true);
  expect(plan?.environment).toEqual({ PYTHONUNBUFFERED: '1', ...environment });
});

test('documents of Python are built by a program of their environment', () => {
  const { plan } = detect(treeOf({ 'requirements.txt': 'mkdocs\n', 'mkdocs.yml': '' }));
  expect(plan?.steps[1]?.command).toBe('.venv/bin/python -m mkdocs build');
});

test('lists of packages that include each other are read once each', () => {
  const source = treeOf({
    'requirements.txt': '-r a.txt\n',
    'a.txt': '-r requirements.txt\nfastapi\n',
    'main.py': 'app = FastAPI()',
  });
  expect(detect(source).detected.installCommand).toBe('pip install -r requirements.txt && pip install uvicorn');
});
