import { shown, word } from '../build-plan.ts';
import { type Outcome, type Port, refused, server } from '../outcome.ts';
import { portOfCommand } from '../ports.ts';
import { webOf } from '../procfile.ts';
import { type Source, upwards, within } from '../source.ts';
import { pinnedWithin } from '../versions.ts';

interface Tool {
  name: 'maven' | 'gradle';
  files: readonly string[];
  wrapper: string;
  program: string;
  output: string;
  caches: string[];
}

/** Where both are there, Maven is what the first of them builds. */
const tools: readonly Tool[] = [
  { name: 'maven', files: ['pom.xml'], wrapper: 'mvnw', program: 'mvn', output: 'target', caches: ['maven'] },
  {
    name: 'gradle',
    files: ['build.gradle', 'build.gradle.kts'],
    wrapper: 'gradlew',
    program: 'gradle',
    output: 'build/libs',
    caches: ['gradle'],
  },
];

/** A framework is one entry: how it is known, what its task is in Gradle, and what starts its result. */
export const javaFrameworks: readonly {
  name: string;
  of: RegExp;
  task: string;
  start(folder: string, text: string): string;
}[] = [
  {
    name: 'spring-boot',
    of: /org\.springframework\.boot|spring-boot-(?:starter|maven)/,
    task: 'bootJar',
    start: (folder) => `java -Dserver.port=$PORT -jar ${folder}/*.jar`,
  },
  {
    name: 'quarkus',
    of: /io\.quarkus|quarkus-(?:maven-plugin|bom)/,
    task: 'quarkusBuild',
    start: (folder) =>
      `java -Dquarkus.http.host=0.0.0.0 -Dquarkus.http.port=$PORT -jar ${folder.replace(/build\/libs$/, 'build')}/quarkus-app/quarkus-run.jar`,
  },
  {
    name: 'micronaut',
    of: /io\.micronaut|micronaut-(?:parent|maven-plugin)/,
    task: 'shadowJar',
    start: (folder) => `MICRONAUT_SERVER_PORT=$PORT java -jar ${folder}/*.jar`,
  },
  {
    name: 'ktor',
    // In Gradle its plugin makes the one archive that is started; in Maven people shade one.
    of: /\bio\.ktor\.plugin\b|<groupId>io\.ktor/,
    task: 'buildFatJar',
    start: (folder, text) =>
      `java -jar ${folder}/${folder.includes('target') ? '*-jar-with-dependencies.jar' : '*-all.jar'}${/\bEngineMain\b/.test(text) ? ' -port=$PORT' : ''}`,
  },
];

/** How a folder with a build of Maven or Gradle is built; undefined if it has none. */
export function fromJava(source: Source, folder: string): Outcome | undefined {
  for (const tool of tools) {
    const file = tool.files.find((one) => source.has(within(folder, one)));
    if (file !== undefined) return fromTool(source, folder, tool, within(folder, file));
  }
  return undefined;
}

function fromTool(source: Source, folder: string, tool: Tool, path: string): Outcome {
  const text = source.text(path);
  const modules = modulesOf(source, folder, tool, text);
  const root = rootOf(source, folder, tool);
  const below = folder === root ? '' : folder.slice(root === '' ? 0 : root.length + 1);
  const parents = upwards(folder).flatMap((one) => tool.files.map((file) => source.text(within(one, file))));
  if (modules.length > 0 && !/<packaging>\s*jar/.test(text) && !source.files(within(folder, 'src/main')).length) {
    return {
      kind: 'refused',
      provider: 'java',
      message: `${shown(path)} has ${modules.length} modules: choose the folder of one as the context.`,
      signals: [{ path, detail: `${modules.length} modules` }],
      monorepo: true,
    };
  }
  if (/\bid[ (]["']java-(?:library|platform)["']/.test(text) && webOf(source, folder, 'java') === undefined)
    return refused('java', `${shown(path)} is a library: choose the folder of a program as the context.`);
  const framework =
    javaFrameworks.find(({ of }) => of.test(text)) ??
    pluginOf(source, root, text) ??
    javaFrameworks.find(({ of }) => parents.some((one) => of.test(one)));
  const web = webOf(source, folder, 'java');
  if (framework === undefined && web === undefined) {
    const known = javaFrameworks.map(({ name }) => name).join(', ');
    return refused(
      'java',
      `${shown(path)} has no framework that is known here (${known}): add a Procfile with a line "web: java -jar …".`,
    );
  }
  const wrapper = source.has(within(root, tool.wrapper)) ? `./${tool.wrapper}` : tool.program;
  const command = commandOf(source, root, below, tool, wrapper, framework?.task ?? 'build -x test');
  const start = web ?? framework?.start(word(within(below, tool.output)), text) ?? '';
  const version = versionOf(source, root, [text, ...parents]);
  const demand = version === '' ? {} : { demand: { text: `>=${version}`, path } };
  const pinned = pinnedWithin(source, folder, 'java', version === '' ? '' : `>=${version}`);
  const release = /^(?:1\.)?(\d+)/.exec(pinned.version)?.[1] ?? '';
  const told = {
    framework: framework?.name ?? '',
    packageManager: tool.name,
    buildCommand: command,
    monorepo: below !== '',
    signals: [
      { path, detail: `A build of ${tool.name}` },
      ...(framework === undefined ? [] : [{ path, detail: `It is made with ${framework.name}` }]),
      ...(release === '' ? [] : [{ path: pinned.path, detail: `It demands Java ${release}` }]),
      ...(web === undefined ? [] : [{ path: within(folder, 'Procfile'), detail: `web: ${shown(web)}` }]),
    ],
  };
  const build = {
    provider: 'java' as const,
    directory: root,
    toolchain: [
      { name: 'java', version: release || version, ...demand },
      ...(wrapper === tool.program ? [{ name: tool.name, version: '' }] : []),
    ],
    steps: [{ name: 'build', command, caches: tool.caches }],
    drop: ['.gradle'],
    environment: {},
    told,
  };
  const port = portOfCommand(start, 'procfile') ??
    portOfSettings(source, folder) ?? {
      port: 8080,
      portSource: framework === undefined ? 'default' : 'framework',
    };
  return server(build, start, port, web === undefined ? 'server' : 'started');
}

/** A plugin that the build names by its catalog of versions. */
function pluginOf(source: Source, root: string, text: string): (typeof javaFrameworks)[number] | undefined {
  const catalog = source.text(within(root, 'gradle/libs.versions.toml'));
  for (const [, name = '', rest = ''] of text.matchAll(/\balias\(libs\.plugins\.([\w.]{1,100})\)(.{0,40})/g)) {
    if (/apply\s+false/.test(rest)) continue;
    const key = name.replaceAll('.', '[-_.]');
    const line = new RegExp(`^${key}[ \\t]*=(.{1,200})$`, 'm').exec(catalog)?.[1] ?? '';
    const found = javaFrameworks.find(({ of }) => of.test(line));
    if (found !== undefined) return found;
  }
  return undefined;
}

const settingsFiles = ['application.properties', 'application.yml', 'application.yaml', 'application.conf'];
const portKeys = ['server.port', 'quarkus.http.port', 'micronaut.server.port', 'ktor.deployment.port'];

/** The port of the settings that the program brings. */
function portOfSettings(source: Source, folder: string): Port | undefined {
  for (const name of settingsFiles) {
    const text = source.text(within(folder, `src/main/resources/${name}`));
    const found = (name.endsWith('.properties') ? plainKeys : nestedKeys)(text)
      .filter(([key]) => portKeys.includes(key))
      .map(([, value]) => Number(/(\d{2,5})\}?$/.exec(value)?.[1] ?? 0))[0];
    if (found !== undefined && found > 0) return { port: found, portSource: 'source' };
  }
  return undefined;
}

function plainKeys(text: string): [string, string][] {
  return [...text.matchAll(/^[ \t]*([\w.-]{1,100})[ \t]*[=:][ \t]*(\S{1,100})[ \t]*$/gm)].map(
    ([, key = '', value = '']) => [key, value],
  );
}

/** Keys of YAML by their indentation, of the first document: others are profiles. */
function nestedKeys(text: string): [string, string][] {
  const above: { depth: number; key: string }[] = [];
  const found: [string, string][] = [];
  for (const line of (text.split(/^---/m)[0] ?? '').split(/\r?\n/)) {
    const [, space = '', key = '', value = ''] =
      /^([ \t]{0,60})["']?([\w.%-]{1,100})["']?[ \t]*[:={][ \t]*(\S{0,100})/.exec(line) ?? [];
    if (key === '') continue;
    while ((above.at(-1)?.depth ?? -1) >= space.length) above.pop();
    above.push({ depth: space.length, key });
    if (value !== '') found.push([above.map((one) => one.key).join('.'), value]);
  }
  return found;
}

function commandOf(source: Source, root: string, below: string, tool: Tool, wrapper: string, task: string): string {
  if (tool.name === 'gradle')
    return `${wrapper} ${below === '' ? task : word(`:${below.replaceAll('/', ':')}:${task}`)}`;
  // JHipster builds its pages for production in a profile of this name alone.
  const profile = source.object(within(root, '.yo-rc.json'))?.['generator-jhipster'] === undefined ? '' : ' -Pprod';
  const only = below === '' ? '' : ` -pl ${word(below)} -am`;
  return `${wrapper} -B${profile} -DskipTests${only} package`;
}

function modulesOf(source: Source, folder: string, tool: Tool, text: string): string[] {
  if (tool.name === 'maven') {
    return [...text.matchAll(/<module>\s*([\w./-]{1,200})\s*<\/module>/g)].map((match) => match[1] ?? '');
  }
  const settings = ['settings.gradle', 'settings.gradle.kts']
    .map((file) => source.text(within(folder, file)))
    .join('\n');
  const lines = [...settings.matchAll(/^[ \t]*include[ (](.{1,2000})$/gm)].map((match) => match[1] ?? '');
  return lines.flatMap((line) =>
    [...line.matchAll(/["']:?([\w.:-]{1,200})["']/g)].map((match) => (match[1] ?? '').replaceAll(':', '/')),
  );
}

/** The folder whose build has this one among its modules. */
function rootOf(source: Source, folder: string, tool: Tool): string {
  const above = upwards(folder)
    .slice(1)
    .findLast((one) => {
      const text = tool.files.map((file) => source.text(within(one, file))).join('\n');
      return modulesOf(source, one, tool, text).some((module) => within(one, module) === folder);
    });
  return above ?? folder;
}

const versions = [
  /<java\.version>\s*(?:1\.)?(\d+)/,
  /<maven\.compiler\.(?:release|source)>\s*(?:1\.)?(\d+)/,
  /<release>\s*(\d+)/,
  /JavaLanguageVersion\.of\((\d+)\)/,
  /sourceCompatibility[ \t]{0,40}=?[ \t]{0,40}["']?(?:JavaVersion\.VERSION_)?(?:1[._])?(\d+)/,
];

function versionOf(source: Source, folder: string, texts: readonly string[]): string {
  const said = /^java\.runtime\.version\s*=\s*(?:1\.)?(\d+)/m.exec(
    source.text(within(folder, 'system.properties')),
  )?.[1];
  if (said !== undefined) return said;
  for (const text of texts) {
    const found = versions.map((way) => way.exec(text)?.[1]).find((one) => one !== undefined);
    if (found !== undefined) return found;
  }
  return '';
}
