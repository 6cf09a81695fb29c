import { leastPartBytes } from '../../../outbound/s3/s3-client.ts';

/** Pieces that become one part of a multipart upload. */
export type Join<Piece> = readonly [Piece, ...Piece[]];

/**
 * Puts neighbours together so that each join is as large as S3 wants parts to be; the last one may be smaller. One piece
 * by itself is copied within the bucket, several have to be read.
 */
export function joinsOf<Piece extends { bytes: number }>(pieces: readonly Piece[]): Join<Piece>[] {
  const joins: Join<Piece>[] = [];
  let open: Piece[] = [];
  let bytes = 0;
  const close = () => {
    const [first, ...others] = open;
    if (first !== undefined) joins.push([first, ...others]);
    open = [];
    bytes = 0;
  };
  for (const piece of pieces) {
    open.push(piece);
    bytes += piece.bytes;
    if (bytes >= leastPartBytes) close();
  }
  close();
  return joins;
}
