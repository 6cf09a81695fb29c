import { useState } from 'react';
import type { DialogAction } from '../../../components/actions/action.ts';
import { dialogAction } from '../../../components/actions/dialog-action.tsx';
import { SubmitOrCancel } from '../../../components/dialogs/dialog.tsx';
import { Form, Select } from '../../../components/forms/form.tsx';
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

/** Of a service: of its only process, or of the one that is chosen. */
export function restartAction(
  service: string,
  processes: readonly ProcessAnswer[],
  environmentId: string,
): DialogAction {
  return dialogAction({
    role: 'deployer',
    label: 'Restart',
    title: `Restart ${service}`,
    content: (close) => <RestartOne {...{ processes, environmentId }} onClose={close} />,
  });
}

function RestartOne({
  processes,
  environmentId,
  onClose,
}: Omit<RestartProcessProps, 'process'> & { processes: readonly ProcessAnswer[] }) {
  const [chosen, setChosen] = useState(processes[0]);
  if (chosen === undefined) return null;
  return (
    <div className="flex flex-col gap-3">
      {processes.length > 1 && (
        <Select
          label="Process"
          value={chosen.id}
          onChange={(id) => setChosen(processes.find((one) => one.id === id))}
          choices={processes.map(({ id, name }) => ({ value: id, label: name }))}
        />
      )}
      <RestartProcess key={chosen.id} process={chosen} environmentId={environmentId} onClose={onClose} />
    </div>
  );
}

const words = { delivered: 'Restarting', done: () => ({ word: 'Restarted', tone: 'good' }) as const };
