/** Which rooms a room may import, besides itself, `domain/` and packages. docs/architecture.md says why. */
export const rooms: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  machine: [],
  pages: [],
  db: [],
  protocol: [],
  outbound: [],
  temporal: ['db'],
  workflows: [],
  activities: ['db', 'protocol', 'outbound'],
  worker: ['db', 'temporal', 'protocol', 'outbound', 'workflows', 'activities', 'machine'],
  api: ['db', 'temporal', 'protocol', 'outbound', 'pages', 'machine'],
  identity: ['db', 'pages', 'machine'],
  agent: ['protocol', 'outbound', 'machine'],
  web: ['pages'],
  runtime: ['machine'],
  backup: ['runtime', 'db', 'outbound', 'machine'],
  cli: ['runtime', 'backup', 'db', 'temporal', 'worker', 'api', 'identity', 'agent', 'machine', 'pages'],
  test: ['*'],
  bench: ['*'],
  lint: [],
};

/** Single files that a room may import although it may not import their room. */
export const doors: Readonly<Record<string, readonly RegExp[]>> = {
  // A descriptor and its words are pure: they say what every room must know of a kind of actor.
  '*': [/^workflows\/descriptors\.ts$/, /^workflows\/[^/]+\/(descriptor|words)\.ts$/],
  // Raw statements are looked through for these.
  lint: [/^db\/postgres\/tenant-tables\.ts$/],
  // A file that the settings name is looked at before anything is started.
  cli: [/^outbound\/rules\.ts$/],
  api: [
    /^agent\/bundle\/kept-bundle\.ts$/,
    /^agent\/join\/install-script\.ts$/,
    /^cli\/client\/kept-client\.ts$/,
    /^web\/build\/kept-console\.ts$/,
  ],
};

/**
 * Rooms of which a room may know the types alone: workflows run in a sandbox, the console in a browser, and the database keeps what
 * agents say without reading it.
 */
export const typesOnly: Readonly<Record<string, readonly string[]>> = {
  workflows: ['activities'],
  db: ['protocol'],
  web: ['api'],
};

/** Folders that serve every subject of their room. */
export const engines = /^[^/]+\/engine\//;
/** Folders beside the engine that are no subjects. */
export const foundations: readonly string[] = ['db/postgres', 'db/keys', 'db/migrations', 'db/credentials'];
/** Files that every room may load. */
export const pure = /^workflows\/(descriptors|[^/]+\/(descriptor|words))\.ts$/;

/** A folder's files of code, its tests, migrations and recorded histories aside. */
export const mostFiles = 15;
