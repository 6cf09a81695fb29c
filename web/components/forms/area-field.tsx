import { Field as BaseField } from '@base-ui/react/field';
import { control, type FieldProps, Labelled } from './form.tsx';

interface AreaProps extends FieldProps {
  value: string;
  onChange: (value: string) => void;
  rows?: number;
  required?: boolean;
  first?: boolean;
}

/** A text of several lines, in the letters of code. */
export function AreaField({ value, onChange, rows = 3, required, first, ...field }: AreaProps) {
  return (
    <Labelled {...field}>
      <BaseField.Control
        value={value}
        onValueChange={(text) => onChange(text)}
        required={required}
        autoComplete="off"
        spellCheck={false}
        data-first={first || undefined}
        render={<textarea rows={rows} />}
        className={`${control} py-1.5 font-mono text-sm`}
      />
    </Labelled>
  );
}

/** A list of texts, one a line. */
export function LinesField({
  value,
  onChange,
  ...field
}: Omit<AreaProps, 'value' | 'onChange'> & {
  value: readonly string[] | undefined;
  onChange: (lines: string[]) => void;
}) {
  return (
    <AreaField
      {...field}
      value={(value ?? []).join('\n')}
      onChange={(text) => onChange(text === '' ? [] : text.split('\n'))}
    />
  );
}
