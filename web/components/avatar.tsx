/**
 * Initials of a person; pictures would come from other hosts. The letters are CSS content, so that they are not part of
 * the accessible name around them.
 */
export function Avatar({ name, large = false }: { name: string; large?: boolean }) {
  const words = name.trim().split(/\s+/).filter(Boolean);
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined].map((word) => [...(word ?? '')][0] ?? '');
  return (
    <span
      aria-hidden="true"
      data-letters={letters.join('').toUpperCase()}
      className={`before:content-[attr(data-letters)] inline-flex shrink-0 select-none items-center justify-center rounded-full border border-line bg-ground font-medium text-soft ${large ? 'size-8 text-xs' : 'size-6 text-[0.625rem]'}`}
    />
  );
}

/** An organization: a square, so that it is not taken for a person. */
export function OrganizationMark({ name }: { name: string }) {
  return (
    <span
      aria-hidden="true"
      data-letters={([...name.trim()][0] ?? '').toUpperCase()}
      className="before:content-[attr(data-letters)] inline-flex size-6 shrink-0 select-none items-center justify-center rounded-md bg-strong font-semibold text-on-strong text-xs"
    />
  );
}
