import { connect } from "./live";

interface Poll {
  id: number;
  question: string;
}

const host = document.querySelector<HTMLDivElement>("#poll")!;

async function refresh(): Promise<void> {
  const polls = (await (await fetch("/api/polls")).json()) as Poll[];
  host.textContent = polls.map((poll) => poll.question).join(" / ");
}

connect(() => void refresh());
void refresh();
