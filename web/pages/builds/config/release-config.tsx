import { useQuery } from '@tanstack/react-query';
import { summaryOf } from '../../../../domain/repository-config/summary.ts';
import { Facts, Section } from '../../../components/page.tsx';
import { usePlane } from '../../../control-plane/plane.ts';
import { ConfigFacts } from './build-config.tsx';

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
