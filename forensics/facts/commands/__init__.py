"""What the commands of npm scripts start, tool by tool. Entry point: `dispatch.run_command`."""
