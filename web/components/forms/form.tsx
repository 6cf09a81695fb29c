import { Field as BaseField } from '@base-ui/react/field';
import { Form as BaseForm } from '@base-ui/react/form';
import { type ComponentProps, type ReactNode, useEffect, useId, useMemo, useRef, useState } from 'react';
import type { ShownProblem } from '../../control-plane/problem.ts';
import { useTyped } from '../dialogs/dismissal.ts';
import { ProblemNotice } from '../notice.tsx';
import { classes } from '../style.ts';
import { asSentence } from './operation/values.ts';

/**
 * A form. `problem` is the answer to the last attempt: errors of a field are shown at the field (its `name` is its
 * place in the body: `name` for `body.name`), all others above the fields.
 */
export function Form({
  problem,
  places,
  onSubmit,
  children,
}: {
  problem?: ShownProblem | undefined;
  /** The names of the fields. */
  places: readonly string[];
  onSubmit: () => void;
  children: ReactNode;
}) {
  // The browser blocks a form with a field error, so any input clears the errors of the last answer.
  const [answered, setAnswered] = useState<ShownProblem>();
  const typed = useTyped();
  const errors = useMemo(() => (problem === answered ? {} : errorsOf(problem)), [problem, answered]);
  const form = useRef<HTMLFormElement>(null);
  // After a refusal the first field at fault is at hand; what was typed into it stays.
  useEffect(() => {
    if (problem !== undefined) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [problem]);
  return (
    <BaseForm
      ref={form}
      errors={errors}
      onFormSubmit={onSubmit}
      onInput={() => {
        setAnswered(problem);
        // Without a field there is no more than a confirmation, which is not worth keeping.
        if (places.length > 0) typed();
      }}
      className="flex flex-col gap-4"
    >
      <ProblemNotice problem={problem} fields={places.map((name) => `body.${name}`)} />
      {children}
    </BaseForm>
  );
}

function errorsOf(problem: ShownProblem | undefined): Record<string, string> {
  return Object.fromEntries(
    Object.entries(problem?.fields ?? {}).map(([place, message]) => [
      place.replace(/^body\./, ''),
      asSentence(message),
    ]),
  );
}

/** The look of every field. */
export const control =
  'w-full rounded-md border border-field-line bg-field px-2.5 text-base text-text placeholder:text-faint [&[readonly]]:bg-ground [&[readonly]]:text-soft disabled:opacity-60 data-[invalid]:border-fault max-sm:text-[16px]';

export interface FieldProps {
  name: string;
  label: string;
  hint?: ReactNode;
  /** Hides the label from all but screen readers, where the context already names the field. */
  bare?: boolean | undefined;
}

export function Labelled({
  name,
  label,
  hint,
  bare = false,
  validate,
  children,
}: FieldProps & { validate?: ((text: string) => string | undefined) | undefined; children: ReactNode }) {
  return (
    <BaseField.Root
      name={name}
      validate={(text) => validate?.(String(text ?? '')) ?? null}
      className="flex min-w-0 flex-col gap-1.5"
    >
      <BaseField.Label className={classes('font-medium text-sm', bare && 'sr-only')}>{label}</BaseField.Label>
      {children}
      {hint !== undefined && (
        <BaseField.Description className="text-pretty text-soft text-xs">{hint}</BaseField.Description>
      )}
      <BaseField.Error className="text-fault text-sm" />
    </BaseField.Root>
  );
}

interface TextProps extends FieldProps {
  value: string;
  onChange: (value: string) => void;
  type?: 'text' | 'email' | 'number' | 'search' | 'url' | 'date' | 'password' | undefined;
  required?: boolean;
  placeholder?: string | undefined;
  /** For names of machines and code: in the letters of code. */
  mono?: boolean | undefined;
  /** The first thing to fill in when the form appears. */
  first?: boolean;
  min?: number | string | undefined;
  max?: number | string | undefined;
  maxLength?: number | undefined;
  suggestions?: readonly string[];
  /** Names the fault of a text before it is sent. */
  validate?: (text: string) => string | undefined;
}

export function TextField(props: TextProps) {
  const { name, label, hint, bare, value, onChange, mono, first, suggestions, validate, ...rest } = props;
  const list = useId();
  return (
    <Labelled name={name} label={label} hint={hint} validate={validate} bare={bare}>
      <BaseField.Control
        {...rest}
        value={value}
        onValueChange={(text) => onChange(text)}
        autoComplete="off"
        spellCheck={false}
        data-first={first || undefined}
        list={suggestions === undefined ? undefined : list}
        className={classes(control, 'h-8.5 max-sm:h-10', mono && 'font-mono text-sm')}
      />
      {suggestions !== undefined && (
        <datalist id={list}>
          {suggestions.map((text) => (
            <option key={text} value={text} />
          ))}
        </datalist>
      )}
    </Labelled>
  );
}

export interface Choice {
  value: string;
  label: string;
  /** Choices that follow each other in one group stand below its name. */
  group?: string;
}

export function SelectField({
  value,
  onChange,
  choices,
  disabled,
  first,
  ...field
}: FieldProps & {
  value: string;
  onChange: (value: string) => void;
  choices: readonly Choice[];
  disabled?: boolean;
  /** The first thing to choose when the form appears. */
  first?: boolean;
}) {
  return (
    <Labelled {...field}>
      <BaseField.Control
        value={value}
        onValueChange={(chosen) => onChange(chosen)}
        data-first={first || undefined}
        render={
          <Options disabled={disabled}>
            <Grouped choices={choices} />
          </Options>
        }
      />
    </Labelled>
  );
}

export function Grouped({ choices }: { choices: readonly Choice[] }) {
  const groups: { name: string | undefined; choices: Choice[] }[] = [];
  for (const choice of choices) {
    const last = groups.at(-1);
    if (last !== undefined && last.name === choice.group) last.choices.push(choice);
    else groups.push({ name: choice.group, choices: [choice] });
  }
  return groups.map(({ name, choices }) => {
    const options = choices.map(({ value, label }) => (
      <option key={value} value={value}>
        {label}
      </option>
    ));
    if (name === undefined) return options;
    return (
      <optgroup key={name} label={name}>
        {options}
      </optgroup>
    );
  });
}

/** The native select in our look: phones show their own picker for it. */
function Options({ children, ...rest }: ComponentProps<'select'>) {
  return (
    <span className="relative block">
      <select {...rest} className={classes(control, 'h-8.5 appearance-none pr-8 max-sm:h-10')}>
        {children}
      </select>
      <svg
        aria-hidden="true"
        viewBox="0 0 16 16"
        className="pointer-events-none absolute top-1/2 right-2.5 size-3.5 -translate-y-1/2 text-soft"
      >
        <path
          d="m4 6 4 4 4-4"
          fill="none"
          stroke="currentColor"
          strokeWidth="1.5"
          strokeLinecap="round"
          strokeLinejoin="round"
        />
      </svg>
    </span>
  );
}

/** A choice beside other things, as in a line of filters: no form around it. */
export function Select({
  label,
  value,
  onChange,
  choices,
  disabled,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  choices: readonly Choice[];
  disabled?: boolean;
}) {
  return (
    <Options aria-label={label} value={value} onChange={(event) => onChange(event.target.value)} disabled={disabled}>
      <Grouped choices={choices} />
    </Options>
  );
}

export function Checkbox({
  label,
  hint,
  checked,
  onChange,
  disabled,
}: {
  label: ReactNode;
  hint?: ReactNode;
  checked: boolean;
  onChange: (checked: boolean) => void;
  disabled?: boolean;
}) {
  return (
    <label className="flex items-start gap-2.5 text-sm">
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChange(event.target.checked)}
        className="mt-0.5 size-4 shrink-0 accent-strong"
      />
      <span className="min-w-0">
        <span className="font-medium">{label}</span>
        {hint !== undefined && <span className="block text-pretty text-soft">{hint}</span>}
      </span>
    </label>
  );
}
