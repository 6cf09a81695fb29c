import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { SelectField, TextField } from '../../../components/forms/form.tsx';
import { Setting } from '../../../components/forms/setting.tsx';
import { problemOf } from '../../../control-plane/problem.ts';
import type { Placed } from '../use-service.ts';
import { hostSays } from './detection-words.ts';
import { type Named, useBranches } from './use-branches.ts';

interface BranchFieldProps {
  /** Its place in the body of a request. */
  name?: string;
  /** Whose branches are offered; without one the name is typed. */
  of: Named | undefined;
  value: string;
  onChange: (branch: string) => void;
  /** The words of the empty choice; `name` is the branch that a clone checks out, if the host says it. */
  unnamed: (name: string) => string;
  hint?: ReactNode;
}

/** More are no choice for a native control: the name is typed, and suggested. */
const mostChoices = 200;

/** A branch: chosen from those of the repository, or typed where its host does not list them. */
export function BranchField({ name = 'branch', of, value, onChange, unnamed, hint }: BranchFieldProps) {
  const { data, error, isFetching } = useBranches(of);
  const { branches = [], defaultBranch = '' } = data ?? {};
  const asks = of !== undefined && data === undefined && isFetching;
  if (!asks && (branches.length === 0 || branches.length > mostChoices)) {
    return (
      <TextField
        name={name}
        label="Branch"
        mono
        placeholder={unnamed(defaultBranch)}
        hint={
          <>
            {hint} {error !== null && !isFetching && `${hostSays(problemOf(error))} The name of a branch can be typed.`}
          </>
        }
        value={value}
        onChange={onChange}
        suggestions={branches}
      />
    );
  }
  // A branch that was deleted stays the value until another one is chosen.
  const names = value === '' || branches.includes(value) ? branches : [value, ...branches];
  return (
    <SelectField
      name={name}
      label="Branch"
      hint={asks ? 'Asking the host for its branches…' : hint}
      value={value}
      onChange={onChange}
      choices={[
        { value: '', label: unnamed(defaultBranch) },
        ...names.map((one) => ({ value: one, label: asks || branches.includes(one) ? one : `${one} (not there)` })),
      ]}
    />
  );
}

/** The words for no branch of one's own: the one that is built in an environment anyway. */
export function builtIn({ name, gitBranch }: { name: string; gitBranch: string }): (byDefault: string) => string {
  return (byDefault) => {
    if (gitBranch !== '') return `${gitBranch}, the branch of ${name}`;
    return byDefault === '' ? 'The default branch' : `${byDefault}, the default branch`;
  };
}

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
