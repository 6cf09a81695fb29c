import { useState } from 'react';
import { SubmitOrCancel } from '../../../components/dialogs/dialog.tsx';
import { Form } from '../../../components/forms/form.tsx';
import { type Sent, useChange } from '../../../control-plane/change.ts';
import { usePlane } from '../../../control-plane/plane.ts';
import { type Command, CommandResult } from './command-result.tsx';
import type { ProcessAnswer } from './process-fields.tsx';

interface RunProcessProps {
  process: ProcessAnswer;
  environmentId: string;
  onClose: () => void;
}

/** Runs a cron process once, and stays until the run has ended, which goes on without this dialog, too. */
export function RunProcess({ process: { id, name }, environmentId, onClose }: RunProcessProps) {
  const { client } = usePlane();
  const [command, setCommand] = useState<Command>();
  const run = useChange(
    (_: undefined, sent: Sent) => client.processes.run.mutate({ path: { id }, query: { environmentId } }, sent),
    { failed: `${name} could not be run`, succeeded: `Running ${name}`, quiet: true, done: setCommand },
  );
  if (command !== undefined) return <CommandResult begun={command} {...{ environmentId, words, onClose }} />;
  return (
    <Form problem={run.problem} places={[]} onSubmit={() => run.send(undefined)}>
      <p className="text-pretty text-soft text-sm">
        One run of the release that serves, besides those of its schedule. Staged changes stay staged.
      </p>
      <SubmitOrCancel onCancel={onClose} busy={run.sending}>
        Run now
      </SubmitOrCancel>
    </Form>
  );
}

const words = {
  delivered: 'Running',
  done: ({ exitCode = 0 }: Command) =>
    exitCode === 0
      ? ({ word: 'Ended with exit code 0', tone: 'good' } as const)
      : ({ word: `Ended with exit code ${exitCode}`, tone: 'fault' } as const),
};
