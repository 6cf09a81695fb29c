import type { ReactNode } from 'react';
import type { Role } from '../../../domain/roles.ts';

/** State of the dialog of an action, kept by whoever offers the action. */
export interface Shown {
  open: boolean;
  onClose: () => void;
}

interface Offered {
  label: string;
  /** Something is lost by it. */
  danger?: true | undefined;
  /** The least role that it is offered to: `admin`, unless it is another one. */
  role?: Role | undefined;
}

/** Something that a person can do: its button or its line of a menu, who is offered it, and what happens then. */
export type Action = Offered & ({ act: () => void } | { dialog: (shown: Shown) => ReactNode });

/** An action with a dialog, as a button of a page offers it. */
export type DialogAction = Extract<Action, { dialog: unknown }>;
