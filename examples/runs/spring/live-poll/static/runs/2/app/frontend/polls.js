fetch("/api/polls")
  .then((response) => response.json())
  .then((polls) => {
    const list = document.getElementById("polls");
    polls.forEach((poll) => {
      const item = document.createElement("li");
      item.textContent = poll.title;
      list.appendChild(item);
    });
  });
