import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Setting } from '../../../components/forms/setting.tsx';
import type { Placed } from '../use-service.ts';

interface BuiltBranchProps {
  source: Placed['service']['source'];
  environment: Placed['environment'];
}

/** The commits of its repository that a service is built from: the branch of the environment, or tags. */
export function BuiltBranch({ source: { trigger }, environment: { name, gitBranch } }: BuiltBranchProps) {
  return (
    <Setting
      title="Branch"
      about={
        trigger === undefined
          ? 'Pushes to it are built. It is the same for all services of the environment.'
          : `Tags like ${trigger.tagTemplate} are built, and no pushes; the branch is that of builds by hand.`
      }
    >
      {gitBranch === '' ? 'The default branch' : <code className="break-all">{gitBranch}</code>}
      <BranchLink>Change it for {name}</BranchLink>
    </Setting>
  );
}

/** Leads to where the branch of the environment of the address is changed. */
export function BranchLink({ children }: { children: ReactNode }) {
  const { organization = '', project = '', environment = '' } = useParams({ strict: false });
  return (
    <Link
      to="/$organization/p/$project/e/$environment/settings"
      params={{ organization, project, environment }}
      className="rounded-sm underline underline-offset-3"
    >
      {children}
    </Link>
  );
}
