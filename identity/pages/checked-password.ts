import { passwordFault } from '../accounts/passwords/password-rules.ts';
import { Refusal } from '../accounts/refusal.ts';
import type { Form } from './visit.ts';

/** The new password of the form, if it may be one. */
export function checkedPassword(form: Form, person: { name: string; email: string }, field = 'password'): string {
  const password = form.text(field);
  const fault = passwordFault(password, person);
  if (fault !== undefined) throw new Refusal(fault, { field });
  return password;
}
