import { type Kind, nodeKind, packageJson } from './kind.ts';

const plain: Kind = {
  name: 'static',
  files: { 'index.html': '<!doctype html>\n<title>Pages</title>\n<h1>Hello from static</h1>\n' },
  answers: { path: '/', includes: 'Hello from static' },
  programs: [],
  detected: { provider: 'static', framework: '', packageManager: '', port: 0 },
};

const vite = nodeKind(
  'vite',
  {
    'package.json': packageJson({
      ...{ name: 'hello', type: 'module', scripts: { dev: 'vite', build: 'vite build', preview: 'vite preview' } },
      devDependencies: { vite: '7.1.7' },
    }),
    // The build alone puts the word into the page.
    '.env': 'VITE_NAME=vite\n',
    'index.html': `<!doctype html>
<html lang="en">
  <head><title>Pages</title></head>
  <body><h1>Hello from %VITE_NAME%</h1><script type="module" src="/main.js"></script></body>
</html>
`,
    'main.js': "document.title = 'Hello';\n",
  },
  { port: 0 },
);

const astro = nodeKind(
  'astro',
  {
    'package.json': packageJson({
      ...{ name: 'hello', type: 'module', scripts: { dev: 'astro dev', build: 'astro build' } },
      dependencies: { astro: '5.14.1' },
    }),
    'src/pages/index.astro': `---
const name = 'astro';
---
<html lang="en"><body><h1>Hello from {name}</h1></body></html>
`,
  },
  { port: 0 },
);

const mkdocs: Kind = {
  name: 'mkdocs',
  files: {
    'requirements.txt': 'mkdocs==1.6.1\n',
    'mkdocs.yml': 'site_name: Pages\n',
    'docs/index.md': '# Hello from mkdocs\n',
  },
  answers: { path: '/', includes: '>Hello from mkdocs</h1>' },
  programs: ['python3'],
  detected: { provider: 'python', framework: 'mkdocs', packageManager: 'pip', port: 0 },
};

export const pageKinds: readonly Kind[] = [plain, vite, astro, mkdocs];
