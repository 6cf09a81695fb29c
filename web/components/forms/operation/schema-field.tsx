import type { FieldRule } from '../../../control-plane/body.ts';
import { Checkbox, TextField } from '../form.tsx';
import { RadioField } from '../radios.tsx';
import type { FieldWords } from './fields.ts';
import { asSentence, labelOf, wrongText } from './values.ts';

interface SchemaFieldProps {
  name: string;
  rule: FieldRule;
  words: Omit<FieldWords<string, never>, 'control' | 'follows' | 'theirs'>;
  required: boolean;
  first: boolean;
  value: unknown;
  onChange: (value: unknown) => void;
}

/** The control that follows from the schema of a field: its kind, bounds and choices. */
export function SchemaField({ name, rule, words, required, first, value, onChange }: SchemaFieldProps) {
  const { label = labelOf(name), hint, placeholder, mono, choices } = words;
  if (rule.enum !== undefined) {
    return (
      <RadioField
        label={label}
        value={String(value ?? '')}
        onChange={onChange}
        choices={choices ?? rule.enum.map((one) => ({ value: one, label: asSentence(one) }))}
      />
    );
  }
  if (rule.type === 'boolean') {
    return <Checkbox label={label} hint={hint} checked={value === true} onChange={onChange} />;
  }
  const shared = { name, label, required, first, hint, placeholder, mono };
  if (rule.type === 'integer' || rule.type === 'number') {
    return (
      <TextField
        {...shared}
        type="number"
        min={rule.minimum}
        max={rule.maximum}
        value={value === undefined ? '' : String(value)}
        onChange={(text) => onChange(text === '' ? undefined : Number(text))}
      />
    );
  }
  if (rule.type === 'string') {
    return (
      <TextField
        {...shared}
        type={words.secret ? 'password' : rule.format === 'email' ? 'email' : undefined}
        maxLength={rule.maxLength}
        validate={(text) => wrongText(rule, text)}
        value={String(value ?? '')}
        onChange={onChange}
      />
    );
  }
  throw new Error(`The field ${name} needs a control of its own.`);
}
