import type { ComponentProps, ReactNode } from 'react';
import { SubmitOrCancel } from '../../../components/dialogs/dialog.tsx';
import { ChangedMeanwhile } from '../../../components/forms/changed-meanwhile.tsx';
import { Form, TextField } from '../../../components/forms/form.tsx';
import { type Item, useStaging } from './use-staging.ts';

interface StagingFormProps {
  environmentId: string;
  noun: 'variable' | 'file';
  /** With the key as it is typed. */
  item: Extract<Item, { kind: 'variable.set' | 'file.set' }>;
  /** The field of the key, of a new one. */
  field: false | Pick<ComponentProps<typeof TextField>, 'label' | 'hint' | 'maxLength' | 'placeholder' | 'onChange'>;
  disabled?: boolean;
  onClose: () => void;
  children: ReactNode;
}

/** Stages one variable or file of an environment by its key. */
export function StagingForm({ environmentId, noun, item, field, disabled, onClose, children }: StagingFormProps) {
  const name = item.key.trim();
  const { put } = useStaging(environmentId, {
    failed: `The ${noun} could not be staged`,
    succeeded: `${name} staged`,
    quiet: true,
    done: onClose,
  });
  const submit = () => put.send({ body: { ...item, key: name }, name });
  // Theirs was shown, and this one is meant; what others change after that is shown again.
  const overwrite = () =>
    put.send({ body: { ...item, key: name, seen: put.problem?.meanwhile?.[0]?.seen } as Item, name });
  return (
    <Form problem={put.problem} places={['key', 'value']} onSubmit={submit}>
      <ChangedMeanwhile
        problem={put.problem}
        words={{ value: { field: name } }}
        onKeep={overwrite}
        onTake={() => onClose()}
      />
      {field !== false && <TextField name="key" value={item.key} required first mono {...field} />}
      {children}
      <SubmitOrCancel onCancel={onClose} busy={put.sending} disabled={disabled === true}>
        Stage
      </SubmitOrCancel>
    </Form>
  );
}
