import type { SourceTree } from '../../domain/detection/tree.ts';

/** A source of these files; one without a text is larger than detection reads. */
export function treeOf(files: Record<string, string | undefined>): SourceTree {
  return { paths: Object.keys(files).toSorted(), text: (path) => files[path] };
}
