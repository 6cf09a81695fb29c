interface Development {
  of: RegExp;
  name: string;
  /** A platform that is imitated: the code is made for that one, and runs nowhere else. */
  platform?: string;
}

const at = String.raw`(?:^|[\s/"'&|;(])`;
const program = (text: string): RegExp => new RegExp(at + text, 'm');

/** Commands that serve while somebody works on the code: without what was built, slow, and open to what they should not be. */
const development: readonly Development[] = [
  { of: program(String.raw`wrangler(?: pages)? dev\b`), name: 'wrangler dev', platform: 'Cloudflare Workers' },
  { of: program(String.raw`arc sandbox\b`), name: 'arc sandbox', platform: 'AWS Lambda' },
  { of: program(String.raw`fastly compute serve\b`), name: 'fastly compute serve', platform: 'Fastly Compute' },
  { of: program(String.raw`vercel dev\b`), name: 'vercel dev', platform: 'Vercel Functions' },
  { of: program(String.raw`(?:netlify|ntl) dev\b`), name: 'netlify dev', platform: 'Netlify Functions' },
  { of: program(String.raw`(?:sls|serverless) offline\b`), name: 'serverless offline', platform: 'AWS Lambda' },
  { of: program('firebase (?:serve|emulators)'), name: 'firebase', platform: 'Firebase' },
  {
    of: program(String.raw`(?:next|nuxt|nuxi|astro|remix|react-router|vinxi|nitropack|nitro|solid-start) dev\b`),
    name: 'a development server',
  },
  { of: program(String.raw`(?:nuxt|nuxi) (?:start|preview)\b`), name: 'the preview of Nuxt' },
  { of: program(String.raw`astro preview\b`), name: 'the preview of Astro' },
  {
    of: program(String.raw`vite(?:-node)?(?:\s+(?:dev|serve|preview)\b|\s+-|\s*$|\s*[&|;"'])`),
    name: 'the development server of Vite',
  },
  {
    of: program(String.raw`vitepress(?:\s+(?:dev|serve|preview)\b|\s*$)`),
    name: 'the development server of VitePress',
  },
  { of: program(String.raw`gatsby (?:develop|serve)\b`), name: 'the server of Gatsby' },
  { of: program(String.raw`docusaurus (?:start|serve)\b`), name: 'the server of Docusaurus' },
  { of: program(String.raw`eleventy\b.*--serve\b`), name: 'the server of Eleventy' },
  { of: program(String.raw`react-scripts start\b`), name: 'the development server of Create React App' },
  { of: program(String.raw`vue-cli-service serve\b`), name: 'the development server of Vue CLI' },
  { of: program(String.raw`ng serve\b`), name: 'the development server of Angular' },
  { of: program(String.raw`nx (?:run-many|serve|run \S+:serve)\b`), name: 'the development server of Nx' },
  { of: program(String.raw`nest start\b`), name: 'nest start' },
  { of: program(String.raw`strapi develop\b`), name: 'strapi develop' },
  {
    of: program(String.raw`(?:nodemon|ts-node-dev|tsnd|node-dev|supervisor|browser-sync|expo)\b`),
    name: 'a development server',
  },
  { of: program(String.raw`webpack(?:-dev-server\b| serve\b)`), name: 'the development server of webpack' },
  { of: program(String.raw`parcel (?!build)\S`), name: 'the development server of Parcel' },
  { of: program(String.raw`rollup\b[^&|;]*\s-\w*w\w*\b`), name: 'rollup --watch' },
  { of: /\s--(?:watch|hot|hmr)\b/m, name: 'a program that watches for changes' },
];

/** How a command line serves people who work on the code; undefined if nothing says that it does. */
export function developmentOf(commands: string): Development | undefined {
  return development.find(({ of }) => of.test(commands));
}

/** Commands of a workspace's root that run scripts of its members: they say nothing about the root. */
export function isForMembers(commands: string): boolean {
  return /\b(?:turbo|lerna) run\b|\bturbo start\b|\bnx run-many\b|(?:^|\s)(?:-r|--recursive|--filter|-F|-w|--workspaces?|--cwd|-C|--prefix)\b|\bworkspaces? (?:foreach|run)\b|\byarn workspace\b/m.test(
    commands,
  );
}

const watchers: readonly { of: RegExp; line: (file: string) => string }[] = [
  { of: /^nodemon\s+(?:-\S+\s+)*([\w@./-]+\.[cm]?js)$/, line: (file) => `node ${file}` },
  { of: /^node\s+--watch\s+([\w@./-]+\.[cm]?js)$/, line: (file) => `node ${file}` },
  {
    of: /^bun\s+(?:run\s+)?--(?:hot|watch)\s+(?:run\s+)?([\w@./-]+\.[cm]?[jt]sx?)$/,
    line: (file) => `bun run ${file}`,
  },
  { of: /^tsx\s+(?:watch|--watch)\s+([\w@./-]+\.[cm]?ts)$/, line: (file) => `node_modules/.bin/tsx ${file}` },
];

/** The program that a watcher starts again and again, started once. */
export function withoutWatching(command: string): { line: string; file: string } | undefined {
  for (const { of, line } of watchers) {
    const file = of.exec(command)?.[1];
    if (file !== undefined) return { line: line(file), file };
  }
  return undefined;
}
