import { type ReactNode, useState } from 'react';
import { BranchField, BranchLink, builtIn } from './branch-field.tsx';
import { DetectionPreview } from './detection-preview.tsx';
import type { Source } from './source.ts';
import { namedIn, useBranches, useRested } from './use-branches.ts';

export interface BuiltIn {
  /** The environment's name and branch: it builds that of all its services, or without one their default branches. */
  name: string;
  gitBranch: string;
}

interface RepositoryBranchProps {
  source: Source;
  environment: BuiltIn;
  /** Fields between the branch and what is found in it. */
  children: ReactNode;
}

/** The branch of a repository that is looked at, and what is found there: first the one that the environment builds. */
export function RepositoryBranch({ source, environment, children }: RepositoryBranchProps) {
  const { gitBranch } = environment;
  const [chosen, setChosen] = useState('');
  const { context = '' } = source;
  const of = namedIn(JSON.parse(useRested(JSON.stringify(source))) as Source);
  const { data } = useBranches(of);
  const built = gitBranch || data?.defaultBranch || '';
  const branch = useRested(chosen) || built;
  const folder = useRested(context);
  return (
    <>
      {of !== undefined && (
        <BranchField
          of={of}
          value={chosen}
          onChange={setChosen}
          unnamed={builtIn(environment)}
          hint={
            chosen === '' || chosen === built ? undefined : (
              <OtherBranch chosen={chosen} environment={environment} built={built} />
            )
          }
        />
      )}
      {children}
      {of !== undefined && branch !== '' && source.builder !== 'dockerfile' && (
        <DetectionPreview of={of} branch={branch} context={folder} />
      )}
    </>
  );
}

/** Looking at a branch does not build it. */
function OtherBranch({
  chosen,
  environment: { name },
  built,
}: {
  chosen: string;
  environment: BuiltIn;
  built: string;
}) {
  return (
    <>
      Shown below; {name} builds {built === '' ? 'the default branch' : built}. To build {chosen},{' '}
      <BranchLink>change the branch of {name}</BranchLink>.
    </>
  );
}
