import { useState } from 'react';
import {
  type BuildTime,
  buildTimes,
  buildTimeTitles,
  isPublicByName,
} from '../../../../domain/variables/build-time.ts';
import { AreaField } from '../../../components/forms/area-field.tsx';
import { Checkbox } from '../../../components/forms/form.tsx';
import { RadioField } from '../../../components/forms/radios.tsx';
import { StagingForm } from './staging-form.tsx';
import type { Item, Whose } from './use-staging.ts';
import type { Variable } from './variable-columns.tsx';

interface VariableFormProps extends Whose {
  /** The one that is changed; a new one without it. */
  current?: Variable;
  onClose: () => void;
}

const hints: Readonly<Record<BuildTime, string>> = {
  no: 'Instances have it; builds do not.',
  also: 'Commands of builds have it, too. What a build writes into files is in the image.',
  only: 'Commands of builds have it; no release does.',
};

/** Which one a change is meant for: a draft that has another one by now refuses it. */
export function seenOf(variable: Variable | undefined): NonNullable<Extract<Item, { kind: 'variable.set' }>['seen']> {
  if (variable === undefined) return {};
  const { itemId, updatedAt } = variable;
  return itemId === undefined ? { updatedAt } : { itemId };
}

/** Stages a variable: a new one, or another value of one. The value of a secret one is typed anew. */
export function VariableForm({ environmentId, serviceId, current, onClose }: VariableFormProps) {
  const [key, setKey] = useState(current?.key ?? '');
  const [value, setValue] = useState(current?.value ?? '');
  const [secret, setSecret] = useState(current?.secret ?? false);
  const [buildTime, setBuildTime] = useState<BuildTime>();
  // Proposed by the name, and never for a secret.
  const proposed = current?.buildTime ?? (isPublicByName(key) && !secret ? 'also' : 'no');
  const placeholder = serviceId === undefined ? 'REGION' : 'DATABASE_URL';
  return (
    <StagingForm
      environmentId={environmentId}
      noun="variable"
      item={{
        ...{ kind: 'variable.set', serviceId, key, value, secret },
        ...{ buildTime: buildTime ?? proposed, seen: seenOf(current) },
      }}
      field={current === undefined && { label: 'Key', maxLength: 256, placeholder, onChange: setKey }}
      onClose={onClose}
    >
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
      <RadioField
        label="Seen at"
        value={buildTime ?? proposed}
        onChange={setBuildTime}
        choices={buildTimes.map((value) => ({ value, label: buildTimeTitles[value], hint: hints[value] }))}
      />
    </StagingForm>
  );
}
