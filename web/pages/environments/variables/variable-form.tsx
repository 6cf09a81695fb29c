import { useState } from 'react';
import { SubmitOrCancel } from '../../../components/dialogs/dialog.tsx';
import { AreaField } from '../../../components/forms/area-field.tsx';
import { Checkbox, Form, TextField } from '../../../components/forms/form.tsx';
import { type Sent, useChange } from '../../../control-plane/change.ts';
import { usePlane } from '../../../control-plane/plane.ts';
import type { Whose } from './whose.ts';

interface VariableFormProps extends Whose {
  /** The one that is changed; a new one without it. */
  current?: { key: string; value: string; secret: boolean };
  onClose: () => void;
}

/** Stages a variable: a new one, or another value of one. The value of a secret one is typed anew. */
export function VariableForm({ environmentId, serviceId, current, onClose }: VariableFormProps) {
  const { client, trpc } = usePlane();
  const [key, setKey] = useState(current?.key ?? '');
  const [value, setValue] = useState(current?.value ?? '');
  const [secret, setSecret] = useState(current?.secret ?? false);
  const of = serviceId === undefined ? {} : { serviceId };
  const change = useChange(
    (_: undefined, sent: Sent) =>
      client.changeSets.putItem.mutate(
        { path: { id: environmentId }, body: { kind: 'variable.set', ...of, key: key.trim(), value, secret } },
        sent,
      ),
    {
      failed: 'The variable could not be staged',
      succeeded: `${key.trim()} staged`,
      quiet: true,
      touches: () => [trpc.variables.pathKey(), trpc.changeSets.pathKey()],
      done: onClose,
    },
  );
  return (
    <Form problem={change.problem} places={['key', 'value']} onSubmit={() => change.send(undefined)}>
      {current === undefined && (
        <TextField
          name="key"
          label="Key"
          value={key}
          onChange={setKey}
          required
          first
          mono
          maxLength={256}
          placeholder={serviceId === undefined ? 'REGION' : 'DATABASE_URL'}
        />
      )}
      <AreaField
        name="value"
        label={current?.secret === true ? 'New value' : 'Value'}
        value={value}
        onChange={setValue}
        first={current !== undefined}
      />
      <Checkbox
        label="Secret"
        hint="Stored encrypted, and never shown again."
        checked={secret}
        onChange={setSecret}
        disabled={current?.secret === true}
      />
      <SubmitOrCancel onCancel={onClose} busy={change.sending}>
        Stage
      </SubmitOrCancel>
    </Form>
  );
}
