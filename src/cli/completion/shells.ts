// The shells that there is a completion script for.

export const shells = ['bash', 'zsh', 'fish'] as const;
