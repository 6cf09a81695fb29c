import type { Kind } from './kind.ts';

function python(name: string, files: Kind['files'], framework: string, packageManager: string): Kind {
  return {
    ...{ name, files, programs: ['python3'], answers: { path: '/', includes: `Hello from ${name}` } },
    detected: { provider: 'python', framework, packageManager, port: 8000 },
  };
}

const flaskApp = (name: string): string => `from flask import Flask

app = Flask(__name__)


@app.get("/")
def hello():
    return "Hello from ${name}"
`;

const procfile = python(
  'python-procfile',
  {
    'requirements.txt': 'markupsafe==3.0.2\n',
    Procfile: 'web: python server.py\n',
    'server.py': `import os
from http.server import BaseHTTPRequestHandler, HTTPServer

from markupsafe import escape


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(str(escape("Hello from python-procfile")).encode())


HTTPServer(("", int(os.environ["PORT"])), Handler).serve_forever()
`,
  },
  '',
  'pip',
);

const flask = python(
  'flask-pip',
  { 'requirements.txt': 'flask==3.1.2\n', 'app.py': flaskApp('flask-pip') },
  'flask',
  'pip',
);

const django = python(
  'django-pip',
  {
    'requirements.txt': 'Django==5.2.6\ngunicorn==23.0.0\nwhitenoise==6.9.0\n',
    'manage.py': `import os
import sys

from django.core.management import execute_from_command_line

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "shop.settings")
execute_from_command_line(sys.argv)
`,
    'shop/__init__.py': '',
    'shop/settings.py': `from pathlib import Path

SECRET_KEY = "of-a-fixture"
ALLOWED_HOSTS = ["*"]
ROOT_URLCONF = "shop.urls"
INSTALLED_APPS = ["django.contrib.staticfiles"]
MIDDLEWARE = ["whitenoise.middleware.WhiteNoiseMiddleware"]
STATIC_URL = "static/"
STATIC_ROOT = Path(__file__).resolve().parent.parent / "collected"
STATICFILES_DIRS = [Path(__file__).resolve().parent / "assets"]
`,
    'shop/assets/words.txt': 'Hello from django-pip\n',
    'shop/urls.py': `from django.conf import settings
from django.http import HttpResponse
from django.urls import path

# Only the build has collected it.
words = (settings.STATIC_ROOT / "words.txt").read_text()
urlpatterns = [path("", lambda request: HttpResponse(words))]
`,
    'shop/wsgi.py': `import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "shop.settings")
application = get_wsgi_application()
`,
  },
  'django',
  'pip',
);

const uv = python(
  'fastapi-uv',
  {
    'pyproject.toml': `[project]
name = "hello"
version = "1.0.0"
requires-python = ">=3.9"
dependencies = ["fastapi==0.117.1", "uvicorn==0.37.0"]

[tool.uv]
package = false
`,
    'main.py': `from fastapi import FastAPI

app = FastAPI()


@app.get("/")
def hello():
    return "Hello from fastapi-uv"
`,
  },
  'fastapi',
  'uv',
);

const poetry = python(
  'flask-poetry',
  {
    'pyproject.toml': `[tool.poetry]
name = "hello"
version = "1.0.0"
description = ""
authors = []
package-mode = false

[tool.poetry.dependencies]
python = ">=3.9,<4"
flask = "3.1.2"
gunicorn = "23.0.0"

# As where a mirror serves the plain index alone.
[[tool.poetry.source]]
name = "plain"
url = "https://pypi.org/simple/"
priority = "primary"
`,
    'app.py': flaskApp('flask-poetry'),
  },
  'flask',
  'poetry',
);

const pipenv = python(
  'flask-pipenv',
  { Pipfile: '[packages]\nflask = "==3.1.2"\ngunicorn = "==23.0.0"\n', 'app.py': flaskApp('flask-pipenv') },
  'flask',
  'pipenv',
);

export const pythonKinds: readonly Kind[] = [procfile, flask, django, uv, poetry, pipenv];
