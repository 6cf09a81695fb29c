import { kept, type Source, within } from './source.ts';

export type Language = 'node' | 'python' | 'go' | 'rust' | 'java' | 'php' | 'ruby' | 'elixir' | 'deno' | 'dotnet';

/** Programs that show whose a line is, and the manifests beside which it is theirs. */
const languages: readonly { name: Language; programs: string; manifests: readonly string[] }[] = [
  { name: 'node', programs: 'node|npm|npx|yarn|pnpm|bun|bunx', manifests: ['package.json'] },
  {
    name: 'python',
    programs:
      'python3?|gunicorn|uvicorn|hypercorn|daphne|flask|fastapi|streamlit|waitress-serve|uwsgi|celery|poetry|pipenv|uv',
    manifests: ['requirements.txt', 'pyproject.toml', 'Pipfile'],
  },
  { name: 'php', programs: String.raw`php|frankenphp|heroku-php-\w+`, manifests: ['composer.json'] },
  { name: 'ruby', programs: 'bundle|ruby|rails|rackup|puma|unicorn', manifests: ['Gemfile'] },
  { name: 'elixir', programs: 'mix|elixir', manifests: ['mix.exs'] },
  { name: 'java', programs: 'java', manifests: ['pom.xml', 'build.gradle', 'build.gradle.kts'] },
  { name: 'deno', programs: 'deno', manifests: ['deno.json', 'deno.jsonc'] },
];

/** The lines of a folder's Procfile by the names of their processes, the first of each. */
export const linesOf = kept((source: Source, folder: string): ReadonlyMap<string, string> => {
  const text = source.text(within(folder, 'Procfile'));
  const found = new Map<string, string>();
  for (const [, name = '', line = ''] of text.matchAll(/^([\w-]{1,40})[ \t]*:[ \t]*(\S.{0,2000})$/gm)) {
    if (!found.has(name)) found.set(name, line.trim());
  }
  return found;
});

/** The line of the process `web` of a folder's Procfile, unless it is that of another language whose manifest is beside it. */
export function webOf(source: Source, folder: string, language: Language): string | undefined {
  const line = linesOf(source, folder).get('web');
  return line === undefined || isOfAnother(source, folder, line, language) ? undefined : line;
}

/** The language whose program the line of the process `web` starts, where its manifest is there and no other's is as likely. */
export function languageOf(source: Source, folder: string): Language | undefined {
  const [only, ...others] = namedBy(linesOf(source, folder).get('web') ?? '').filter((one) =>
    isThere(source, folder, one),
  );
  return others.length === 0 ? only?.name : undefined;
}

function isOfAnother(source: Source, folder: string, line: string, language: Language): boolean {
  const named = namedBy(line);
  return named.every(({ name }) => name !== language) && named.some((one) => isThere(source, folder, one));
}

function namedBy(line: string): typeof languages {
  return languages.filter(({ programs }) => new RegExp(String.raw`(?:^|[\s;&|/])(?:${programs})(?:\s|$)`).test(line));
}

function isThere(source: Source, folder: string, { manifests }: (typeof languages)[number]): boolean {
  return manifests.some((manifest) => source.has(within(folder, manifest)));
}
