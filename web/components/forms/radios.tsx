import { useId } from 'react';

export interface RadioChoice<Value extends string> {
  value: Value;
  label: string;
  /** One sentence about the effect of this choice. */
  hint?: string;
}

/** A choice between a few options, each explained in a sentence. */
export function RadioField<Value extends string>({
  label,
  value,
  onChange,
  choices,
}: {
  label: string;
  value: Value;
  onChange: (value: Value) => void;
  choices: readonly RadioChoice<Value>[];
}) {
  const group = useId();
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1.5 font-medium text-sm">{label}</legend>
      <div className="divide-y divide-line overflow-hidden rounded-lg border border-soft-line bg-field">
        {choices.map((choice) => (
          <label
            key={choice.value}
            className="flex items-start gap-2.5 px-3 py-2 text-sm has-checked:bg-hover hover:bg-hover/60"
          >
            <input
              type="radio"
              name={group}
              value={choice.value}
              checked={choice.value === value}
              onChange={() => onChange(choice.value)}
              aria-describedby={choice.hint === undefined ? undefined : `${group}-${choice.value}`}
              aria-label={choice.label}
              className="mt-0.5 size-4 shrink-0 accent-strong"
            />
            <span className="min-w-0">
              <span className="font-medium">{choice.label}</span>
              {choice.hint !== undefined && (
                <span id={`${group}-${choice.value}`} className="block text-pretty text-soft">
                  {choice.hint}
                </span>
              )}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
