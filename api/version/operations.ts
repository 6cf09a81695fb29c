import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { operation } from '../engine/operation.ts';

declare module '../engine/server/server-parts.ts' {
  interface ServerParts {
    readonly releases: ReleasesFeed;
  }
}

const kinds = ['added', 'changed', 'deprecated', 'removed', 'fixed', 'security'] as const;

const releasesFeedSchema = z
  .object({
    current: z.string().describe('The version that runs.'),
    releases: z.array(
      z.object({
        version: z.string(),
        date: z.string().describe('Day of the release, as 2026-01-31; empty while it is not released.'),
        url: z.string().describe('Where the release can be read about; empty where that is nowhere.'),
        security: z.boolean().describe('Whether it fixes a security problem.'),
        sections: z.array(
          z.object({
            kind: z.enum(kinds),
            items: z.array(z.object({ scope: z.string().optional(), text: z.string() })),
          }),
        ),
      }),
    ),
  })
  .meta({ id: 'ReleasesFeed' });

type ReleasesFeed = z.output<typeof releasesFeedSchema>;
type Release = ReleasesFeed['releases'][number];
type Section = Release['sections'][number];

/** Reads a changelog in the form of keepachangelog.com: releases, sections, items with an optional **scope**. */
export function readChangelog(markdown: string, current: string): ReleasesFeed {
  const links = new Map<string, string>();
  const releases: Release[] = [];
  let section: Section | undefined;
  let open = false;
  for (const line of markdown.split(/\r?\n/)) {
    const link = /^\[([^\]]+)\]:\s+(https?:\/\/\S+)/.exec(line);
    const heading = /^## \[?([^\]\s]+)\]?(?:\s+-\s+(\d{4}-\d{2}-\d{2}))?/.exec(line);
    const title = /^### (\w+)/.exec(line)?.[1]?.toLowerCase();
    const item = /^[-*] (?:\*\*([^*]+)\*\*:?\s*)?(.*)$/.exec(line);
    if (link?.[1] && link[2]) links.set(link[1], link[2]);
    else if (heading?.[1]) {
      releases.push({ version: heading[1], date: heading[2] ?? '', url: '', security: false, sections: [] });
      section = undefined;
    } else if (title !== undefined) section = begin(releases.at(-1), title);
    else if (item && section) section.items.push(itemOf(item[1], item[2] ?? ''));
    else if (open && section && /^\s+\S/.test(line)) extend(section, line.trim());
    open = item !== null || (open && /^\s+\S/.test(line));
  }
  for (const release of releases) {
    release.url = links.get(release.version) ?? '';
    release.security = release.sections.some((one) => one.kind === 'security' && one.items.length > 0);
  }
  return { current, releases: releases.filter((release) => release.version.toLowerCase() !== 'unreleased') };
}

function begin(release: Release | undefined, title: string): Section | undefined {
  const kind = kinds.find((known) => known === title);
  if (release === undefined || kind === undefined) return undefined;
  const section: Section = { kind, items: [] };
  release.sections.push(section);
  return section;
}

function itemOf(scope: string | undefined, text: string): Section['items'][number] {
  return scope === undefined ? { text } : { scope: scope.replace(/:$/, ''), text };
}

function extend(section: Section, text: string): void {
  const last = section.items.at(-1);
  if (last) last.text = `${last.text} ${text}`;
}

const getVersion = operation({
  method: 'GET',
  url: '/api/v1/version',
  summary: 'Get the installed version',
  scope: 'public',
  result: z.object({ version: z.string() }).meta({ id: 'Version' }),
  async handle({ server }) {
    return { version: server.version };
  },
});

const listReleases = operation({
  method: 'GET',
  url: '/api/v1/releases',
  summary: 'Get the changelog, newest release first',
  scope: 'public',
  result: releasesFeedSchema,
  async handle({ server }) {
    return server.releases;
  },
});

export const version = { get: getVersion, releases: listReleases };

/** The releases that the changelog of this program tells of. */
export async function readReleases(version: string): Promise<ReleasesFeed> {
  return readChangelog(await readFile(new URL('../../CHANGELOG.md', import.meta.url), 'utf8'), version);
}
