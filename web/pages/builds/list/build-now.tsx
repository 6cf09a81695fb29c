import { commitPattern } from '../../../../domain/git/connections.ts';
import type { DialogAction } from '../../../components/actions/action.ts';
import { formAction } from '../../../components/actions/form-action.tsx';
import { Checkbox, TextField } from '../../../components/forms/form.tsx';
import { BranchField, builtIn } from '../../services/source/branch-field.tsx';
import { namedIn } from '../../services/source/use-branches.ts';
import type { Placed } from '../../services/use-service.ts';
import type { useBuildTools } from '../build-actions.tsx';

/** Builds the repository of a service: the branch that the environment builds, another one, or one commit. */
export function buildNow(
  { service, environment }: Placed,
  { trpc, follow }: ReturnType<typeof useBuildTools>,
): DialogAction | undefined {
  const { source, stagedIn } = service;
  // A service that is not applied yet is built when it is.
  if (source.kind !== 'git' || stagedIn?.environmentId === environment.id) return undefined;
  return formAction({
    role: 'deployer',
    label: 'Build now',
    title: `Build ${service.name} for ${environment.name}`,
    about: 'From the repository that is applied here; a staged source is built once it is applied.',
    operation: trpc.builds.create,
    path: { id: service.id },
    start: { environmentId: environment.id, deploy: true },
    fields: {
      branch: {
        control: ({ value = '', onChange }) => (
          <BranchField of={namedIn(source)} value={value} onChange={onChange} unnamed={builtIn(environment)} />
        ),
      },
      commitSha: {
        control: ({ value = '', onChange }) => (
          <TextField
            name="commitSha"
            label="Commit"
            mono
            hint="Its whole name. Empty: the newest one of the branch."
            value={value}
            onChange={(text) => onChange(text.trim())}
            validate={(text) =>
              text === '' || commitPattern.test(text.trim())
                ? undefined
                : 'The whole name of a commit has 40 characters, or 64, of 0 to 9 and a to f.'
            }
          />
        ),
      },
      deploy: {
        control: ({ value, onChange }) => (
          <Checkbox
            label="Deploy it once it is built"
            hint={environment.production ? 'In production its deployment waits for an approval.' : undefined}
            checked={value !== false}
            onChange={onChange}
          />
        ),
      },
      environmentId: { control: () => null },
    },
    submit: 'Build',
    succeeded: ({ number }) => `Build #${number} requested`,
    done: follow,
  });
}
