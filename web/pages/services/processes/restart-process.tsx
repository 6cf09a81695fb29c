import { useState } from 'react';
import type { DialogAction } from '../../../components/actions/action.ts';
import { dialogAction } from '../../../components/actions/dialog-action.tsx';
import { SubmitOrCancel } from '../../../components/dialogs/dialog.tsx';
import { Form, Select } from '../../../components/forms/form.tsx';
import { type Sent, useChange } from '../../../control-plane/change.ts';
import { usePlane } from '../../../control-plane/plane.ts';
import { type Command, CommandResult, type CommandWords } from './command-result.tsx';
import type { ProcessAnswer } from './process-fields.tsx';

/** Each command to the agent, from the question to how it ended. */
const commands = {
  restart: {
    text: 'Its instances end and start again with the release that runs. Staged changes stay staged.',
    submit: 'Restart',
    failed: 'restarted',
    delivered: 'Restarting',
    done: () => ({ word: 'Restarted', tone: 'good' }),
  },
  run: {
    text: 'One run of the release that serves, besides those of its schedule. Staged changes stay staged.',
    submit: 'Run now',
    failed: 'run',
    delivered: 'Running',
    done: ({ exitCode = 0 }) => ({ word: `Ended with exit code ${exitCode}`, tone: exitCode === 0 ? 'good' : 'fault' }),
  },
} as const satisfies Record<string, CommandWords & Record<'text' | 'submit' | 'failed', string>>;

interface ProcessCommandProps {
  kind: keyof typeof commands;
  process: ProcessAnswer;
  environmentId: string;
  onClose: () => void;
}

/**
 * Restarts the instances of a process one after the other, or runs a cron process once, and stays until the agent has said how that
 * went: it goes on without this dialog, too.
 */
export function ProcessCommand({ kind, process: { id, name }, environmentId, onClose }: ProcessCommandProps) {
  const { client } = usePlane();
  const [command, setCommand] = useState<Command>();
  const words = commands[kind];
  const change = useChange(
    (_: undefined, sent: Sent) => client.processes[kind].mutate({ path: { id }, query: { environmentId } }, sent),
    {
      failed: `${name} could not be ${words.failed}`,
      succeeded: `${words.delivered} ${name}`,
      quiet: true,
      done: setCommand,
    },
  );
  if (command !== undefined) return <CommandResult begun={command} {...{ environmentId, words, onClose }} />;
  return (
    <Form problem={change.problem} places={[]} onSubmit={() => change.send(undefined)}>
      <p className="text-pretty text-soft text-sm">{words.text}</p>
      <SubmitOrCancel onCancel={onClose} busy={change.sending}>
        {words.submit}
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
}: Omit<ProcessCommandProps, 'kind' | 'process'> & { processes: readonly ProcessAnswer[] }) {
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
      <ProcessCommand key={chosen.id} kind="restart" process={chosen} environmentId={environmentId} onClose={onClose} />
    </div>
  );
}
