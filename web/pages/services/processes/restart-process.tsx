import { useState } from 'react';
import { SubmitOrCancel } from '../../../components/dialogs/dialog.tsx';
import { Form } from '../../../components/forms/form.tsx';
import { type Sent, useChange } from '../../../control-plane/change.ts';
import { usePlane } from '../../../control-plane/plane.ts';
import { type Command, CommandResult } from './command-result.tsx';
import type { ProcessAnswer } from './process-fields.tsx';

interface RestartProcessProps {
  process: ProcessAnswer;
  environmentId: string;
  onClose: () => void;
}

/** Restarts the instances of a process one after the other, and stays until the agent has said how that went. */
export function RestartProcess({ process: { id, name }, environmentId, onClose }: RestartProcessProps) {
  const { client } = usePlane();
  const [command, setCommand] = useState<Command>();
  const restart = useChange(
    (_: undefined, sent: Sent) => client.processes.restart.mutate({ path: { id }, query: { environmentId } }, sent),
    { failed: `${name} could not be restarted`, succeeded: `Restarting ${name}`, quiet: true, done: setCommand },
  );
  if (command !== undefined) return <CommandResult begun={command} {...{ environmentId, words, onClose }} />;
  return (
    <Form problem={restart.problem} places={[]} onSubmit={() => restart.send(undefined)}>
      <p className="text-pretty text-soft text-sm">
        Its instances end and start again with the release that runs. Staged changes stay staged.
      </p>
      <SubmitOrCancel onCancel={onClose} busy={restart.sending}>
        Restart
      </SubmitOrCancel>
    </Form>
  );
}

const words = { delivered: 'Restarting', done: () => ({ word: 'Restarted', tone: 'good' }) as const };
