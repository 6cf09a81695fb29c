import { useState } from 'react';
import { SelectField, TextField } from '../../components/forms/form.tsx';
import type { Times } from '../../components/times/times.ts';
import { useTimes } from '../../components/times/zone.ts';
import { type Expiry, expiryChoices, expiryTime } from './expiry.ts';

const usual: Expiry = '90';

export function startOfExpiry(times: Times): string | undefined {
  return expiryTime(usual, '', Date.now(), times);
}

/** The moment of expiry, as a period, a day or never. */
export function ExpiryField({ onChange }: { onChange: (expiresAt: string | undefined) => void }) {
  const [expiry, setExpiry] = useState<Expiry>(usual);
  const [date, setDate] = useState('');
  const times = useTimes();
  const choose = (chosen: Expiry, day: string) => {
    setExpiry(chosen);
    setDate(day);
    if (chosen !== 'date' || day !== '') onChange(expiryTime(chosen, day, Date.now(), times));
  };
  return (
    <>
      <SelectField
        name={expiry === 'date' ? 'expiry' : 'expiresAt'}
        label="Expires"
        value={expiry}
        onChange={(chosen) => choose(expiryChoices.find(({ value }) => value === chosen)?.value ?? expiry, date)}
        choices={expiryChoices}
        {...(expiry === 'never' ? { hint: 'Anyone who has it can use it until it is revoked.' } : {})}
      />
      {expiry === 'date' && (
        <TextField
          name="expiresAt"
          type="date"
          label="Last day"
          value={date}
          onChange={(day) => choose('date', day)}
          required
          min={times.day(Date.now())}
        />
      )}
    </>
  );
}
