import { useState } from 'react';
import { SelectField } from '../../../components/forms/form.tsx';
import { useList } from '../../../control-plane/by-slug.ts';
import { usePlane } from '../../../control-plane/plane.ts';
import { useWhole } from '../../../control-plane/whole.ts';
import { StagingForm } from '../../environments/variables/staging-form.tsx';
import type { Whose } from '../../environments/variables/whose.ts';

export type OfService = Required<Whose>;

interface FileFormProps {
  whose: OfService;
  /** The variable that is put into the file; without it, it is chosen. */
  variable?: string;
  /** The one that is made of another variable. */
  current?: { path: string; variable: string };
  onClose: () => void;
}

/** Stages a file of a service that is made of one of its variables. */
export function FileForm({ whose: { environmentId, serviceId }, variable, current, onClose }: FileFormProps) {
  const { trpc } = usePlane();
  const pages = useList(trpc.variables.list, {
    path: { id: environmentId },
    query: { serviceId },
    id: ({ key }) => key,
  });
  useWhole(pages, variable === undefined);
  const keys = (pages.items ?? []).filter(({ staged }) => staged !== 'unset').map(({ key }) => key);
  const [path, setPath] = useState(current?.path ?? '');
  const [chosen, setChosen] = useState(variable ?? current?.variable);
  const value = chosen ?? keys[0] ?? '';
  const hint = 'Absolute, or from the directory that the program works in.';
  return (
    <StagingForm
      environmentId={environmentId}
      noun="file"
      item={{
        ...{ kind: 'file.set', serviceId, key: path, value },
        seen: current === undefined ? {} : { value: current.variable },
      }}
      field={
        current === undefined && {
          label: 'Path',
          hint,
          maxLength: 1024,
          placeholder: 'config/app.yml',
          onChange: setPath,
        }
      }
      disabled={value === ''}
      onClose={onClose}
    >
      {variable === undefined && (
        <SelectField
          name="value"
          label="Variable"
          hint="Its value is the content of the file."
          value={value}
          onChange={setChosen}
          first={current !== undefined}
          choices={keys.map((key) => ({ value: key, label: key }))}
        />
      )}
      <p className="text-pretty text-soft text-sm">
        Its user alone may read the file (mode 0400)
        {value !== '' && (
          <>
            , and <code className="break-all">FILE_{value.toUpperCase()}</code> tells the program where it is
          </>
        )}
        .
      </p>
    </StagingForm>
  );
}
