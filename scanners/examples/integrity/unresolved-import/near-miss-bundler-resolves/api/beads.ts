export const beads: string[] = ['glass']
