import { type Html, html } from '../../pages/html.ts';
import type { Refusal } from '../accounts/refusal.ts';

interface Field {
  name: string;
  /** An id of its own, where two forms of a page have a field of the same name. */
  id?: string;
  label: string;
  type?: 'text' | 'email' | 'password';
  value?: string | undefined;
  autocomplete: string;
  hint?: string;
  /** Read-only. */
  fixed?: boolean;
  focus?: boolean;
  inputmode?: 'numeric' | 'email' | 'text';
  most?: number;
  refusal?: Refusal | undefined;
}

/** A field with its label above it and, where something is wrong with it, why. */
export function field(field: Field): Html {
  const {
    name,
    id = name,
    label,
    type = 'text',
    value,
    autocomplete,
    hint,
    fixed,
    focus,
    inputmode,
    most = 256,
  } = field;
  const fault = field.refusal?.field === name ? field.refusal.message : undefined;
  const shownHint = fault === undefined ? hint : undefined;
  const described = [
    ...(shownHint === undefined ? [] : [`${id}-hint`]),
    ...(fault === undefined ? [] : [`${id}-fault`]),
  ];
  const plain = type !== 'text' || inputmode === 'numeric' || autocomplete === 'off';
  return html`<div class="field"><label for="${id}">${label}</label>
<input id="${id}" name="${name}" type="${type}" autocomplete="${autocomplete}" maxlength="${most}" required${[
    value === undefined ? undefined : html` value="${value}"`,
    inputmode === undefined ? undefined : html` inputmode="${inputmode}"`,
    plain ? html` autocapitalize="none" spellcheck="false"` : undefined,
    fixed === true ? html` readonly` : undefined,
    focus === true || fault !== undefined ? html` autofocus` : undefined,
    fault === undefined ? undefined : html` aria-invalid="true"`,
    described.length === 0 ? undefined : html` aria-describedby="${described.join(' ')}"`,
  ]}>
${shownHint === undefined ? undefined : html`<p class="hint" id="${id}-hint">${shownHint}</p>`}
${fault === undefined ? undefined : html`<p class="fault" id="${id}-fault">${fault}</p>`}</div>`;
}

/** The message about the form as a whole, above it. */
export function alert(refusal: Refusal | undefined): Html {
  return refusal === undefined || refusal.field !== undefined
    ? html``
    : html`<p class="alert" role="alert">${refusal.message}</p>`;
}

interface PasskeyForm {
  kind: 'create' | 'get';
  action: string;
  options: object;
  button: Html | string;
  style?: 'quiet' | 'choice';
  fields?: Html;
}

/** A form that a script answers with a passkey; it is shown only where that works. */
export function passkeyForm({ kind, action, options, button, style, fields }: PasskeyForm): Html {
  return html`<form method="post" action="${action}" data-passkey="${kind}" data-options="${JSON.stringify(options)}" hidden>
${fields}<input type="hidden" name="answer">
<button type="submit"${style === undefined ? undefined : html` class="${style}"`}>${button}</button>
<p class="fault" role="alert" hidden></p></form>`;
}
