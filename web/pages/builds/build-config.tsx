import { useQuery } from '@tanstack/react-query';
import { summaryOf } from '../../../domain/repository-config/summary.ts';
import { Copyable } from '../../components/copyable.tsx';
import { Fact, Facts, Section } from '../../components/page.tsx';
import { usePlane } from '../../control-plane/plane.ts';
import type { BuildAnswer } from './build-words.ts';

type ReadConfig = NonNullable<BuildAnswer['repositoryConfig']>;

/** The configuration file of the source: what it says, or each problem with its line. Nothing where there is none. */
export function BuildConfig({ build: { repositoryConfig } }: { build: Pick<BuildAnswer, 'repositoryConfig'> }) {
  if (repositoryConfig === undefined || (repositoryConfig.status === 'absent' && repositoryConfig.summary === ''))
    return null;
  return (
    <Section title="Configuration file">
      <Facts>
        <ConfigFacts told={repositoryConfig} />
      </Facts>
    </Section>
  );
}

export function ConfigFacts({ told }: { told: Pick<ReadConfig, 'path' | 'commit' | 'summary' | 'problems'> }) {
  const { path, commit, summary, problems } = told;
  return (
    <>
      {path !== '' && (
        <Fact label="File">
          <code className="break-all">{path}</code>
        </Fact>
      )}
      {commit !== '' && (
        <Fact label="Commit">
          <Copyable text={commit} shown={commit.slice(0, 12)} label="commit" />
        </Fact>
      )}
      {problems.length === 0 && (
        <Fact label="Says">
          <span className="break-words">{summary}</span>
        </Fact>
      )}
      {problems.length > 0 && (
        <Fact label={problems.length === 1 ? 'Problem' : 'Problems'}>
          <ul className="flex flex-col gap-1.5">
            {problems.map((problem) => (
              <li key={`${problem.line} ${problem.path} ${problem.message}`}>
                {placeOf(problem) !== '' && <code className="break-all">{placeOf(problem)}</code>}
                <span className="block break-words text-soft">{problem.message}</span>
              </li>
            ))}
          </ul>
        </Fact>
      )}
    </>
  );
}

/** `line 4, processes.web.port`. */
function placeOf({ line, path }: ReadConfig['problems'][number]): string {
  return [line > 0 ? `line ${line}` : '', path].filter((part) => part !== '').join(', ');
}

/** The configuration file that a release was frozen with, if there was one. */
export function ReleaseConfig({ releaseId }: { releaseId: string }) {
  const { trpc } = usePlane();
  const { data } = useQuery(trpc.releases.get.queryOptions({ path: { id: releaseId } }));
  const file = data?.release.repositoryConfig;
  if (file === undefined) return null;
  const { path, commit, effective } = file;
  return (
    <Section title="Configuration file">
      <Facts>
        <ConfigFacts told={{ path, commit, summary: summaryOf(effective), problems: [] }} />
      </Facts>
    </Section>
  );
}
