require "json"
require "project_ids"

RSpec.describe "project_id_for" do
  JSON.parse(File.read("#{__dir__}/../../project-ids.json")).each do |vector|
    it "returns #{vector["id"]}" do
      expect(project_id_for(*vector["names"])).to eq(vector["id"])
    end
  end
end
