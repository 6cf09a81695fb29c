import { Fact, Facts, Section } from '../../components/page.tsx';
import type { BuildAnswer } from './build-words.ts';

type Detection = NonNullable<NonNullable<BuildAnswer['builder']>['detection']>;

/** What was found in the source of a build. */
export function BuildDetection({ build: { builder } }: { build: Pick<BuildAnswer, 'builder'> }) {
  const found = builder?.detection;
  // Of a source in which nothing was recognised, the error says all.
  if (found === undefined || (found.provider === '' && found.signals.length === 0)) return null;
  return (
    <Section title="What was found">
      <Facts>
        <DetectedFacts found={found} />
      </Facts>
    </Section>
  );
}

/** The findings in a source, and each signal that led to them with its file. */
export function DetectedFacts({ found }: { found: Detection }) {
  return (
    <>
      {detectedFacts(found).map(({ label, text, code }) => (
        <Fact key={label} label={label}>
          {code ? <code className="break-words">{text}</code> : text}
        </Fact>
      ))}
      {found.signals.length > 0 && (
        <Fact label="Because of">
          <ul className="flex flex-col gap-1.5">
            {found.signals.map(({ path, detail }) => (
              <li key={`${path} ${detail}`}>
                <code className="break-all">{path}</code>
                <span className="block text-soft">{detail}</span>
              </li>
            ))}
          </ul>
        </Fact>
      )}
    </>
  );
}

/** The place that names the port, behind its number. */
const portWords: Readonly<Record<string, string>> = {
  script: ', as its command says',
  dockerfile: ', as the Dockerfile says',
  procfile: ', as the Procfile says',
  source: ', as the code says',
  environment: ', as the template of variables says',
  framework: ', usual for the framework',
  default: ', since none is named',
};

interface Found {
  label: string;
  text: string;
  code: boolean;
}

/** What is known of it, in the order in which it is used. */
export function detectedFacts(found: Detection): Found[] {
  const { provider, framework, packageManager, packageManagerPinned, nodeVersion, port, portSource } = found;
  const words = (label: string, text: string) => ({ label, text, code: false });
  const command = (label: string, text: string) => ({ label, text, code: true });
  const all = [
    words('Kind', [provider, framework].filter((part) => part !== '').join(', ')),
    words('Package manager', [packageManager, packageManagerPinned].filter((part) => part !== '').join(' ')),
    words('Node', nodeVersion),
    command('Install', found.installCommand),
    command('Build', found.buildCommand),
    command('Start', found.static ? '' : found.startCommand),
    command('Pages from', found.static ? found.outputDir || '.' : ''),
    words('Port', found.static || port === 0 ? '' : `${port}${portWords[portSource] ?? ''}`),
  ];
  return all.filter(({ text }) => text !== '');
}
