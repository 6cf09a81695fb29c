import { createContext, useContext, useEffect } from 'react';

/** How content of a dialog takes part in closing it. */
interface Dismissal {
  /** Closes it, or asks first where something was typed. */
  dismiss: () => void;
  /** Whether somebody typed something that was not sent yet. */
  setTyped: (typed: boolean) => void;
}

export const DismissalContext = createContext<Dismissal | undefined>(undefined);

/** For the way out of a form: asks first where something was typed. Outside of a dialog there is nothing to ask. */
export function useDismiss(close: (() => void) | undefined): (() => void) | undefined {
  return useContext(DismissalContext)?.dismiss ?? close;
}

/** For forms: called when somebody types. What was sent, or is no longer shown, is not lost by closing. */
export function useTyped(): () => void {
  const dismissal = useContext(DismissalContext);
  const setTyped = dismissal?.setTyped;
  useEffect(() => () => setTyped?.(false), [setTyped]);
  return () => setTyped?.(true);
}
