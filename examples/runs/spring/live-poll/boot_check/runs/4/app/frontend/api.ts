export async function getVotes(): Promise<unknown[]> {
  const response = await fetch("/api/votes");
  return (await response.json()) as unknown[];
}
